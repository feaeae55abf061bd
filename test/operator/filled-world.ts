/** The operator's world, filled by hand: what the watches would have brought, selectors included, without anybody to watch. */

import type { WireObject } from '../../src/kube/object.ts';
import { Transport } from '../../src/kube/transport.ts';
import { World } from '../../src/operator/world/world.ts';

const nowhere = new Transport({
  connection: { server: new URL('https://127.0.0.1:1'), credentials: async () => ({ headers: {}, tls: {} }), invalidate() {} },
  userAgent: 'nobody',
});

export function emptyWorld(): World {
  return new World({ transport: nowhere });
}

export function put(world: World, ...objects: readonly WireObject[]): void {
  for (const object of objects) for (const store of storesFor(world, object)) store.upsert(stamped(object));
}

let version = 0;
const stamped = (object: WireObject): WireObject => {
  const { uid = `uid-of-${object.metadata.name}`, resourceVersion = String(++version) } = object.metadata;
  return { ...object, metadata: { ...object.metadata, uid, resourceVersion } };
};

interface Upserting {
  upsert(object: WireObject): void;
}

/** Which watches would deliver it. */
function storesFor({ sources }: World, { kind, metadata }: WireObject): readonly Upserting[] {
  const { hub } = sources;
  const ours = metadata.labels?.['app.kubernetes.io/managed-by'] === 'hcpio';
  const ledger = ours ? sources.ledger.filter(({ resource }) => resource.kind === kind).map(({ store }) => store) : [];
  const byKind: Readonly<Record<string, readonly { readonly store: Upserting }[]>> = {
    TenantNetwork: [sources.tenants],
    HostedCluster: [sources.hostedClusters],
    HostedControlPlane: [sources.hostedControlPlanes],
    NodePool: [sources.nodePools],
    VirtualMachineInstance: metadata.labels?.['hypershift.openshift.io/nodepool-name'] ? [sources.machines] : [],
    Route: [sources.routes],
    NetworkAttachmentDefinition: ours ? [] : [sources.attachments],
    Pod: [sources.pods],
    Network: [hub.networks],
    Ingress: [hub.ingresses],
    DNS: [hub.dnses],
    Proxy: [hub.proxies],
    Node: [hub.nodes],
    ServiceCIDR: [hub.serviceCidrs],
    Service: [sources.services.get(metadata.name) ?? []].flat(),
    EndpointSlice: sources.services.has(metadata.labels?.['kubernetes.io/service-name'] ?? '') ? sources.endpointSlices.slice(0, 1) : [],
  };
  return [...(byKind[kind] ?? []).map(({ store }) => store), ...ledger];
}
