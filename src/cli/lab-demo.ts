/** `hcpio lab demo`: from nothing to a VM that joined its control plane through the gateway, with nobody's hands. */
import { SHORTHAND_ANNOTATION } from '../api/shorthand.ts';
import { CommandFailed } from '../lab/command.ts';
import type { Lab, LabOptions } from '../lab/contract.ts';
import { down } from '../lab/down.ts';
import { orderCluster } from '../lab/player/attachment.ts';
import { CLUSTER, CLUSTERS, SEGMENT } from '../lab/player/scenario.ts';
import type { Reporter } from '../lab/progress.ts';
import { up } from '../lab/up.ts';
import { waitFor } from '../lab/wait.ts';
import { ending } from './demo-text.ts';
import { followDemo } from './demo-watch.ts';
import { drawTopology } from './drawing.ts';
import { HCPIO } from './tenant-feed.ts';
import { topologyOf } from './tenant-topology.ts';
import type { Terminal } from './terminal.ts';

const TENANT = `${CLUSTERS}/${CLUSTER}`;
const ATTACHMENT = `default/${SEGMENT}`;

export async function demonstrate(
  options: LabOptions,
  reporter: Reporter & { close(): void },
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const since = performance.now();
  await down({ name: options.name, reporter, purge: false, signal });
  const lab = await up({ ...options, operator: true, hostedCluster: false }, { reporter, signal, keep: false });
  await lab.step(`HostedCluster ${TENANT} created`, () => create(lab, signal));
  reporter.close();
  terminal.out(`\nIts annotation ${SHORTHAND_ANNOTATION}: ${ATTACHMENT} is all that was asked for. Nobody does anything from here on.\n`);

  const { view, worker } = await followDemo(lab, TENANT, terminal, signal);
  const topology = topologyOf(view);
  terminal.out(`${terminal.theme.strong(`The segment of ${TENANT}`)}\n${drawTopology(topology).join('\n')}\n\n`);
  terminal.out(await probes(lab));
  terminal.out(await ending(lab, { worker, seconds: (performance.now() - since) / 1000, holder: topology.holder }, terminal));
}

/** As a user does it; the operator makes the TenantNetwork of it. */
async function create(lab: Lab, signal: AbortSignal): Promise<void> {
  await orderCluster(lab, { replicas: 1, annotations: { [SHORTHAND_ANNOTATION]: ATTACHMENT } }, signal);
  const get = ['get', 'tenantnetwork', CLUSTER, `--namespace=${CLUSTERS}`, '--output=name'];
  await waitFor('the TenantNetwork', () => lab.kubectl(get, { signal }), { lab, parts: ['player'], signal, timeoutSeconds: 60 });
}

/** What `hcpio verify` prints, also when it is not content. */
async function probes(lab: Lab): Promise<string> {
  const verify = [HCPIO, 'verify', TENANT, '--kubeconfig', lab.hub.kubeconfig];
  return lab.run(verify, { netns: lab.hub.netns }).catch((error: unknown) => {
    if (error instanceof CommandFailed && error.stdout !== '') return error.stdout;
    throw error;
  });
}
