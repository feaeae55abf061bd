import { Command, InvalidArgumentError, Option } from 'commander';
import { hasErrors } from '../api/finding.ts';
import type { TenantRenderOptions } from '../tenant/render.ts';
import { EXIT, type Outcome } from './exit-status.ts';
import { findingsText, tally } from './findings-text.ts';
import { plural } from './layout.ts';
import { writeDirectory } from './out-directory.ts';
import { allFindings, type InputOptions, planInput, withInputOptions } from './planned-input.ts';
import { renderedFiles } from './rendered-files.ts';
import type { Terminal } from './terminal.ts';

interface RenderOptions extends InputOptions {
  readonly out: string;
  readonly platform: TenantRenderOptions['platform'];
  readonly image?: string;
  readonly proberImage?: string;
  readonly force?: boolean;
}

/** An empty value is a variable that the shell did not have; to resolve it would mean the current directory. */
function nonEmpty(directory: string): string {
  if (directory.trim() === '') throw new InvalidArgumentError('Name a directory.');
  return directory;
}

/** Only the letters that references are made of; whether there is such an image is for the registry to say. */
function imageReference(image: string): string {
  if (!/^[\w[][\w.:/@+[\]-]*$/.test(image)) throw new InvalidArgumentError('It is no image reference.');
  return image;
}

export const renderCommand = (terminal: Terminal, outcome: Outcome): Command =>
  withInputOptions(
    new Command('render').description('Write every object and configuration file of a tenant network as a kustomize directory.'),
  )
    .requiredOption('--out <directory>', 'where to write; made when it does not exist', nonEmpty)
    .addOption(new Option('--platform <name>', 'what the hub is').choices(['openshift', 'kubernetes']).default('openshift'))
    .option('--image <reference>', 'the image of the edge, in place of the one of this version', imageReference)
    .option('--prober-image <reference>', "the image of the prober, which is the operator's", imageReference)
    .option('--force', 'write also into a directory that holds files of others; only those of the same names are replaced')
    .addHelpText(
      'after',
      `
The directory gets kustomization.yaml, manifests/*.yaml in the order in which they can be applied,
and configs/EDGE/CONTAINER/*: every configuration as the pod will see it. With several tenants each
has a directory NAMESPACE/NAME of its own. All is written or nothing, and nothing when a finding is
an error. A directory that holds anything that hcpio did not write is refused.

Examples:
  ${terminal.command} render -f examples/blue --out out/blue
  kubectl diff -k out/blue; kubectl apply --server-side -k out/blue`,
    )
    .action(async (options: RenderOptions) => {
      const planned = await planInput(options, terminal);
      const findings = allFindings(planned);
      if (findings.length > 0) terminal.err(`${findingsText(findings, terminal.theme).join('\n')}\n\n`);
      if (hasErrors(findings)) {
        terminal.err(`${terminal.command}: nothing was written: ${tally(findings)}\n`);
        outcome.status = EXIT.findings;
        return;
      }
      const files = renderedFiles(planned.tenants, { platform: options.platform, image: options.image, proberImage: options.proberImage });
      await writeDirectory(options.out, files, options.force ?? false);
      terminal.out(
        `${plural(files.size, 'file')} for ${plural(planned.tenants.length, 'tenant')} written to ${options.out}\nApply them with: kubectl apply --server-side -k ${options.out}\n`,
      );
    });
