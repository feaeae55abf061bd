import { Command } from 'commander';
import { tenantNetworkCrd } from '../api/crd.ts';
import type { Terminal } from './terminal.ts';
import { toYaml } from './yaml-text.ts';

export const crdText = (): string => toYaml(tenantNetworkCrd());

export const crdCommand = (terminal: Terminal): Command =>
  new Command('crd')
    .description('Print the CustomResourceDefinition of TenantNetwork, as generated from the schema.')
    .addHelpText('after', `\nExamples:\n  ${terminal.command} crd | kubectl apply --server-side -f -`)
    .action(() => terminal.out(crdText()));
