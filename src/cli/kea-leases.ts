/** What `/usr/libexec/hcpio/leases` prints in an edge: Kea's own answers, read into ours. */
import * as z from 'zod';

const lease = z.object({
  'ip-address': z.string(),
  'hw-address': z.string().default(''),
  hostname: z.string().default(''),
  state: z.int(),
  cltt: z.int(),
  'valid-lft': z.int(),
});

const server = z.object({ state: z.string().optional(), scopes: z.array(z.string()).optional() });
const daemon = z.object({
  leases: z.object({ arguments: z.object({ leases: z.array(lease) }).optional() }),
  status: z.object({
    arguments: z.object({ 'high-availability': z.array(z.object({ 'ha-servers': z.object({ local: server }) })).optional() }).optional(),
  }),
});
const answer = z.record(z.string(), daemon);

export interface KeaLease {
  readonly address: string;
  readonly mac: string;
  readonly hostname: string;
  readonly state: LeaseState;
  /** When it ends, in seconds since the epoch. */
  readonly expires: number;
}

const STATES = ['leased', 'declined', 'expired', 'released'] as const;
export type LeaseState = (typeof STATES)[number];

/** What one edge knows. */
export interface EdgeLeases {
  readonly edge: string;
  /** Whether machines are answered by it now. A single edge always does. */
  readonly serves: boolean;
  /** How it stands with its peer, in Kea's word. */
  readonly state: string;
  readonly leases: readonly KeaLease[];
}

export function readKea(edge: string, text: string): EdgeLeases {
  const daemons = Object.values(answer.parse(JSON.parse(text)));
  const pairs = daemons.flatMap(({ status }) => status.arguments?.['high-availability'] ?? []).map((pair) => pair['ha-servers'].local);
  return {
    edge,
    serves: pairs.length === 0 || pairs.some(({ scopes = [] }) => scopes.length > 0),
    state: [...new Set(pairs.map(({ state = 'unknown' }) => state))].join(', ') || 'alone',
    leases: daemons.flatMap(({ leases }) => leases.arguments?.leases ?? []).map(leaseOf),
  };
}

const leaseOf = (found: z.output<typeof lease>): KeaLease => ({
  address: found['ip-address'],
  mac: found['hw-address'],
  // Kea keeps names as DNS does, some of them with the root's dot.
  hostname: found.hostname.replace(/\.$/, ''),
  state: STATES[found.state] ?? 'leased',
  expires: found.cltt + found['valid-lft'],
});
