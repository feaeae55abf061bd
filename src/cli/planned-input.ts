import type { Command } from 'commander';
import { hasErrors } from '../api/finding.ts';
import { load } from './load.ts';
import { readSources } from './sources.ts';
import { type Planned, planTenants } from './tenants.ts';
import type { Terminal } from './terminal.ts';

/** How `plan` and `render` are told what to read. */
export interface InputOptions {
  readonly filename: readonly string[];
  readonly recursive?: boolean;
  readonly tenant?: string;
}

export const withInputOptions = (command: Command): Command =>
  command
    .requiredOption('-f, --filename <path...>', 'files or directories with the objects of the hub, YAML or JSON; - for standard input')
    .option('-R, --recursive', 'read the subdirectories, too')
    .option('--tenant <namespace/name>', 'only this tenant; the others are still checked for overlaps with it');

/** Reads and plans. A plan from half of the input would be wrong without showing it, so broken input is told before anything is planned. */
export async function planInput(options: InputOptions, terminal: Terminal): Promise<Planned> {
  const input = load(await readSources(options.filename, { recursive: options.recursive ?? false, stdin: terminal.stdin }));
  if (hasErrors(input.findings)) return { tenants: [], findings: input.findings };
  const { tenants, findings } = planTenants(input, options.tenant);
  return { tenants, findings: [...input.findings, ...findings] };
}

export const allFindings = ({ tenants, findings }: Planned) => [...findings, ...tenants.flatMap((tenant) => tenant.findings)];
