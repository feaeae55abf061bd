import { type Finding, sortFindings } from '../api/finding.ts';
import { attachmentChecks } from './attachment.ts';
import type { Check, CheckInput } from './check.ts';
import { dhcpChecks } from './dhcp.ts';
import { endpointChecks } from './endpoints.ts';
import { liveAddressChecks } from './live-addresses.ts';
import { modeChecks } from './mode.ts';
import { nameChecks } from './names.ts';
import { nodePoolChecks } from './node-pools.ts';
import { proxyChecks } from './proxy.ts';
import { segmentChecks } from './segment.ts';
import { tenantChecks } from './tenant.ts';

/** The one table of checks. A new check is a function in the file of its family, and there in the list. */
export const allChecks: readonly Check[] = [
  ...tenantChecks,
  ...modeChecks,
  ...segmentChecks,
  ...liveAddressChecks,
  ...attachmentChecks,
  ...endpointChecks,
  ...nameChecks,
  ...dhcpChecks,
  ...nodePoolChecks,
  ...proxyChecks,
];

export const runChecks = (input: CheckInput): Finding[] => sortFindings(allChecks.flatMap((check) => check.run(input)));
