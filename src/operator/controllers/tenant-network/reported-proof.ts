/**
 * The proof that a status tells of. An operator that starts anew has not asked anybody yet, and what was seen a moment ago by the one before
 * it still holds: without this, a first question that gets no answer in time would turn a tenant that is well into one of which nothing is
 * known, and the second question would turn it back.
 */
import type { TenantNetworkStatus } from '../../../api/tenant-network-status.ts';
import type { PlannedEndpoint } from '../../../gateway/tenant-plan.ts';
import type { SegmentProof } from '../../segment/proof.ts';

type Service = PlannedEndpoint['service'];

/** Undefined: the segment was not proven. */
export function reportedProof({ conditions = [], edges = [], endpoints = [] }: TenantNetworkStatus): SegmentProof | undefined {
  const proven = conditions.find(({ type, status }) => type === 'SegmentProven' && status === 'True');
  if (proven === undefined) return undefined;
  const holder = edges.find(({ holdsVip }) => holdsVip)?.name;
  return {
    outcome: 'proven',
    reason: 'Proven',
    message: proven.message,
    ...(holder === undefined ? {} : { holder }),
    answered: endpoints.filter(({ ready }) => ready).map(({ service }) => service as Service),
    rogueServers: [],
    serials: edges.flatMap(({ name, zones = [] }) => zones.map(({ name: zone, serial }) => ({ edge: name, zone, serial }))),
  };
}
