import { Command, Option } from 'commander';
import { hasErrors } from '../api/finding.ts';
import type { TenantPlan } from '../gateway/tenant-plan.ts';
import { EXIT, type Outcome } from './exit-status.ts';
import { findingsText, tally } from './findings-text.ts';
import type { PlacedFinding } from './load.ts';
import { planTable } from './plan-table.ts';
import { allFindings, type InputOptions, planInput, withInputOptions } from './planned-input.ts';
import type { Planned } from './tenants.ts';
import type { Terminal, Theme } from './terminal.ts';
import { toYaml } from './yaml-text.ts';

type Format = 'table' | 'json' | 'yaml';

export const planCommand = (terminal: Terminal, outcome: Outcome): Command =>
  withInputOptions(new Command('plan').description('Work out the network of a tenant from the objects of its hub, and show it.'))
    .addOption(new Option('-o, --output <format>', 'how to show the plan').choices(['table', 'json', 'yaml']).default('table'))
    .addHelpText(
      'after',
      `
Examples:
  ${terminal.command} plan -f examples/blue                  # a directory with the objects of a hub
  ${terminal.command} plan -f hub.yaml -f blue.yaml --tenant clusters/blue -o yaml
  kubectl get tenantnetworks,hostedclusters,hostedcontrolplanes,nodepools,services,endpointslices,\\
routes,network-attachment-definitions,virtualmachineinstances,nodes,servicecidrs,\\
networks.config.openshift.io,ingresses.config.openshift.io,dnses.config.openshift.io,\\
proxies.config.openshift.io -A -o yaml | ${terminal.command} plan -f -

These are all the kinds that are read; leave out those that the hub does not know. Files can be
added with more -f: an object may be given twice, as long as both say the same.`,
    )
    .action(async (options: InputOptions & { readonly output: Format }) => {
      const planned = await planInput(options, terminal);
      terminal.out(SHOW[options.output](planned, terminal.theme));
      if (hasErrors(allFindings(planned))) outcome.status = EXIT.findings;
    });

type Show = (planned: Planned, theme: Theme) => string;

const SHOW: Readonly<Record<Format, Show>> = {
  table: ({ tenants, findings: input }, theme) =>
    [
      ...(input.length === 0 ? [] : [`${theme.strong(`INPUT: ${tally(input)}`)}\n\n${findingsText(input, theme).join('\n')}\n`]),
      ...tenants.map(({ plan, findings }) => planTable(plan, findings, theme)),
    ].join('\n'),
  json: (planned) => `${JSON.stringify(data(planned), null, 2)}\n`,
  yaml: (planned) => toYaml(data(planned)),
};

/** One tenant is an object, several are a list; without any there are only findings. Notes about the input stand with each tenant. */
function data({ tenants, findings: input }: Planned): unknown {
  const plans = tenants.map(({ plan, findings }) => planData(plan, [...findings, ...input]));
  if (plans.length === 0) return { findings: input.map(findingData) };
  return plans.length === 1 ? plans[0] : plans;
}

/** `findings` stays the last key, where people look for it. */
const planData = (plan: TenantPlan, findings: readonly PlacedFinding[]) => ({ ...plan, findings: findings.map(findingData) });

const findingData = ({ code, severity, object, message, fix, path, at }: PlacedFinding) => ({
  code,
  severity,
  object,
  message,
  fix,
  ...(path === undefined ? {} : { path }),
  ...(at === undefined ? {} : { at }),
});
