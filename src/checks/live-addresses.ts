import type { FindingText } from '../api/finding.ts';
import { hostedClusterName } from '../api/tenant-network.ts';
import type { TenantPlan } from '../gateway/tenant-plan.ts';
import type { FixedAddresses, Observed } from '../hosted-cluster/observed.ts';
import { check, tenantRef } from './check.ts';

/**
 * Workers hold on to what they were told: the address of their API for as long as they run (HyperShift's haproxy on a node resolves
 * the name once), resolvers and routes until they renew their lease. So what they were told stays while there are any.
 */
const FIELDS = [
  { field: 'cidr', name: 'the network', path: 'spec.segment.cidrs' },
  { field: 'router', name: 'the router', path: 'spec.segment.router' },
  { field: 'vip', name: 'the VIP', path: 'spec.gateway.addresses.vip' },
  { field: 'edgeA', name: 'the address of edge-a', path: 'spec.gateway.addresses.edgeA' },
  { field: 'edgeB', name: 'the address of edge-b', path: 'spec.gateway.addresses.edgeB' },
] as const;

export const fixedAddressesStay = check('HCPIO-NET-020', ({ observed, plan }) => {
  const { ipv4, ipv6 } = plan.addresses;
  // Without any there is no plan, and another finding says why.
  if (observed.machines.length === 0 || observed.inForce === undefined || (ipv4 === undefined && ipv6 === undefined)) return [];
  return (['ipv4', 'ipv6'] as const).flatMap((family) => changes(observed, observed.inForce?.[family], plan.addresses[family]));
});

function changes(observed: Observed, before: FixedAddresses | undefined, after: FixedAddresses | undefined): FindingText[] {
  if (before === undefined) return [];
  if (after !== undefined && before.cidr !== after.cidr) return [changed(observed, FIELDS[0], before.cidr, after.cidr)];
  return FIELDS.flatMap((one) => {
    const [was, is] = [before[one.field], after?.[one.field]];
    // The second edge may come and go: the other one, and the VIP, stay where they are.
    if (was === undefined || was === is || (one.field === 'edgeB' && is === undefined)) return [];
    return [changed(observed, one, was, is)];
  });
}

const changed = (observed: Observed, { name, path }: (typeof FIELDS)[number], was: string, is: string | undefined): FindingText => ({
  object: tenantRef(observed),
  path,
  message: `${name} would change from ${was} to ${is ?? 'nothing'}, and ${workers(observed)} would go on using ${was}`,
  fix: `put ${was} back, or ${withoutWorkers(observed)}, and change it then`,
});

export const machinesStay = check('HCPIO-NET-021', ({ observed, plan }) => {
  if (plan.dhcp.serve === 'Nobody' || (plan.addresses.ipv4 === undefined && plan.addresses.ipv6 === undefined)) return [];
  const now = new Map(plan.dhcp.reservations.map((reservation) => [reservation.mac, reservation]));
  return observed.allocations.flatMap(({ mac, addresses }) => {
    const reservation = now.get(mac);
    if (reservation === undefined) return [];
    const planned: readonly string[] = Object.values(reservation.addresses);
    const lost = addresses.filter((address) => !planned.includes(address));
    return lost.map((address) => ({
      object: tenantRef(observed),
      path: 'spec',
      message: `machine ${reservation.machine} would lose its address ${address}, which ${takerOf(address, plan)}`,
      fix: `leave ${address} in the pool (spec.segment.reserved, spec.gateway.addresses, spec.gateway.dhcp.poolSize), or delete the machine first so that its NodePool makes a new one`,
    }));
  });
});

function takerOf(address: string, { addresses }: Pick<TenantPlan, 'addresses'>): string {
  const families = [addresses.ipv4, addresses.ipv6].flatMap((family) => family ?? []);
  const taken = FIELDS.find(({ field }) => families.some((family) => family[field] === address));
  return taken === undefined ? 'is no longer in the pool' : `would be ${taken.name}`;
}

const workers = ({ machines }: Observed): string =>
  machines.length === 1 ? 'the worker that runs' : `${machines.length} workers that run`;

const withoutWorkers = ({ tenantNetwork, nodePools }: Observed): string => {
  const { namespace } = tenantNetwork.metadata;
  const names = nodePools.map(({ metadata }) => metadata.name).join(' ');
  return names === ''
    ? `wait until no worker of ${hostedClusterName(tenantNetwork)} runs`
    : `let no worker run (kubectl scale --replicas 0 --namespace ${namespace} nodepool ${names})`;
};

export const liveAddressChecks = [fixedAddressesStay, machinesStay];
