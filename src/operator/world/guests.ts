/** The hosted clusters whose apps go through the gateway, and where their API servers are. */
import { gatewaySettings } from '../../api/tenant-network.ts';
import { type Key, keyOf } from '../../kube/object.ts';
import type { GuestAddress } from '../guest/router-reader.ts';
import { namespacesOf } from './tenant.ts';
import type { World } from './world.ts';

const API_SERVICE = 'kube-apiserver';

export function* guestsOf({ sources, index }: Pick<World, 'sources' | 'index'>): Generator<readonly [Key, GuestAddress]> {
  for (const tenant of sources.tenants.each()) {
    if (tenant.spec === undefined || tenant.metadata.deletionTimestamp || gatewaySettings(tenant.spec).apps !== 'Gateway') continue;
    const namespace = namespacesOf(tenant).controlPlane;
    const service = index.services.get(namespace)?.find(({ metadata }) => metadata.name === API_SERVICE);
    const [address] = service?.spec.clusterIPs.filter((ip) => ip !== 'None') ?? [];
    const port = service?.spec.ports[0]?.port;
    if (address !== undefined && port !== undefined) yield [keyOf(tenant.metadata), { namespace, address, port }];
  }
}
