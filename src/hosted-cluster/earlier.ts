import { tenantNetworkStatus } from '../api/tenant-network-status.ts';
import { type Earlier, NOTHING_EARLIER } from './observed.ts';

const read = tenantNetworkStatus.pick({ machines: true, addresses: true });

/** What the status of a TenantNetwork says of an earlier plan. One that is not as the operator writes it says nothing. */
export function earlierOf(status: unknown): Earlier {
  const { data } = read.safeParse(status);
  return data === undefined ? NOTHING_EARLIER : { allocations: data.machines ?? [], inForce: data.addresses };
}
