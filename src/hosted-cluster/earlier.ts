import { type TenantNetworkStatus, tenantNetworkStatus } from '../api/tenant-network-status.ts';
import { type Earlier, NOTHING_EARLIER, type SeenRouter } from './observed.ts';

const read = tenantNetworkStatus.pick({ machines: true, addresses: true, guestRouter: true });

/** What the status of a TenantNetwork says of an earlier plan. One that is not as the operator writes it says nothing. */
export function earlierOf(status: unknown): Earlier {
  const { data } = read.safeParse(status);
  return data === undefined ? NOTHING_EARLIER : earlierIn(data);
}

/** The same of a status that is known to be as the operator writes it. */
export const earlierIn = ({ machines = [], addresses, guestRouter }: TenantNetworkStatus): Earlier => ({
  allocations: machines,
  inForce: addresses,
  guestRouter: routerIn(guestRouter),
});

function routerIn(told: TenantNetworkStatus['guestRouter']): SeenRouter {
  if (told === undefined) return undefined;
  const { httpsPort, httpPort, machines = [] } = told;
  return httpsPort === undefined || httpPort === undefined ? 'absent' : { httpsPort, httpPort, machines };
}

/** How a status says it. */
export const toldRouter = (router: SeenRouter): TenantNetworkStatus['guestRouter'] =>
  router === undefined ? undefined : router === 'absent' ? {} : { ...router, machines: [...router.machines] };
