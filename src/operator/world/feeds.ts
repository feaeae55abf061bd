/** Which tenants a change concerns. A change that is forgotten here is a tenant that is not served; one too many costs a look. */
import type { Controller } from '../../kube/controller.ts';
import { type Key, keyOf } from '../../kube/object.ts';
import type { Stored } from '../../kube/store.ts';
import { clusterOf, type KeptTenant } from './tenant.ts';
import type { Tracked } from './tracked.ts';
import type { World } from './world.ts';

export function feedTenants(controller: Controller, world: World): void {
  const { tenants, hostedClusters, hostedControlPlanes, nodePools, machines, routes, attachments, pods, authorities, ledger } =
    world.sources;
  const of = (index: string, value: string): Key[] => tenants.byIndex(index, value).map(({ metadata }) => keyOf(metadata));
  const ofNamespace = ({ metadata }: { readonly metadata: { readonly namespace: string } }): Key[] =>
    of('controlPlane', metadata.namespace);

  follow(controller, tenants, (tenant) => [keyOf(tenant.metadata), ...neighbours(world, tenant)]);
  follow(controller, hostedClusters, ({ metadata }) => {
    const served = tenants.byIndex('cluster', keyOf(metadata));
    return [...served.map((tenant) => keyOf(tenant.metadata)), ...served.flatMap((tenant) => neighbours(world, tenant))];
  });
  follow(controller, hostedControlPlanes, ofNamespace);
  follow(controller, nodePools, ({ metadata, spec }) => of('cluster', `${metadata.namespace}/${spec.clusterName}`));
  follow(controller, machines, ofNamespace);
  follow(controller, routes, ofNamespace);
  follow(controller, attachments, ({ metadata, wire }) => [
    ...of('attachment', keyOf(metadata)),
    ...world.tenantsOnWire(wire).map((tenant) => keyOf(tenant.metadata)),
  ]);
  for (const tracked of Object.values(authorities)) follow(controller, tracked, ofNamespace);
  follow(controller, pods, ({ tenant }) => of('label', tenant));
  for (const tracked of ledger) follow(controller, tracked, ({ owner }) => of('label', owner));
  world.onServices(
    (services) => follow(controller, services, ofNamespace),
    (slices) => follow(controller, slices, ofNamespace),
  );
  world.hub.onChange(() => {
    for (const { metadata } of tenants.each()) controller.queue.add(keyOf(metadata));
  });
}

export function follow<T, Row extends Stored>(controller: Controller, tracked: Tracked<T, Row>, keys: (object: T) => Iterable<Key>): void {
  controller.watch(tracked, (row) => keys(tracked.open(row)));
}

/** Those on the same layer 2, and those that serve the same cluster: what one of them wants may be in the other's way. */
function neighbours(world: World, tenant: KeptTenant): Key[] {
  const onWire = tenant.spec ? world.tenantsOnWire(world.wireOf(tenant.spec.segment.attachment)) : [];
  const forCluster = world.sources.tenants.byIndex('cluster', clusterOf(tenant));
  return [...onWire, ...forCluster].map(({ metadata }) => keyOf(metadata));
}
