import type { FamilyAddresses } from '../gateway/tenant-plan.ts';
import { familyOf } from '../net/ip.ts';
import type { Topology } from './drawing.ts';
import type { TenantView } from './tenant-view.ts';

/** What was reported, in the shape of the picture. */
export function topologyOf(view: TenantView): Topology {
  const { addresses, pool, endpoints, edges, machines } = view;
  const ranges = (pool?.ranges ?? []).map((range) => range.split('-') as [string, string]);
  const withPool = (family: NonNullable<typeof addresses.ipv4>, kind: 'ipv4' | 'ipv6'): FamilyAddresses => ({
    cidr: family.cidr,
    ...(family.router === undefined ? {} : { router: family.router }),
    edgeA: family.edgeA,
    vip: family.vip,
    ...(family.edgeB === undefined ? {} : { edgeB: family.edgeB }),
    pool: ranges.filter(([first]) => familyOf(first) === kind),
  });
  const edge = (name: 'edge-a' | 'edge-b', pick: 'edgeA' | 'edgeB') => {
    const [ipv4, ipv6] = [addresses.ipv4?.[pick], addresses.ipv6?.[pick]];
    return ipv4 === undefined && ipv6 === undefined
      ? []
      : [
          {
            name,
            addresses: { ...(ipv4 === undefined ? {} : { ipv4 }), ...(ipv6 === undefined ? {} : { ipv6 }) },
            away: edges.some((each) => each.name === name && !each.ready),
          },
        ];
  };
  return {
    controlPlaneNamespace: view.controlPlaneNamespace,
    edgeNamespace: view.edgeNamespace,
    addresses: {
      ...(addresses.ipv4 ? { ipv4: withPool(addresses.ipv4, 'ipv4') } : {}),
      ...(addresses.ipv6 ? { ipv6: withPool(addresses.ipv6, 'ipv6') } : {}),
    },
    upstreams: endpoints,
    edges: [...edge('edge-a', 'edgeA'), ...edge('edge-b', 'edgeB')],
    segment: view.segment,
    dhcp: { reservations: machines },
    machines,
    holder: edges.find(({ holdsVip }) => holdsVip)?.name,
  };
}
