import { Command } from 'commander';
import { explain, explanationText } from '../api/explain.ts';
import { Failure } from './failure.ts';
import type { Terminal } from './terminal.ts';

export const explainCommand = (terminal: Terminal): Command =>
  new Command('explain')
    .description('Show what the fields of a TenantNetwork mean.')
    .argument('[path]', 'a field, such as TenantNetwork.spec.segment; the kind may be left out', 'TenantNetwork')
    .addHelpText(
      'after',
      `
Examples:
  ${terminal.command} explain                                # the object itself
  ${terminal.command} explain TenantNetwork.spec.segment     # one field and the fields in it
  ${terminal.command} explain spec.gateway.dhcp.serve        # the same without the kind`,
    )
    .action((path: string) => {
      const found = explain(path);
      if ('error' in found) throw new Failure(found.error);
      terminal.out(explanationText(found.field));
    });
