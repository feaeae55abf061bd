import { expect, test } from 'vitest';
import { type TenantNetwork, tenantNetwork } from '../api/tenant-network.ts';
import { endpointSlice, hostedCluster, hostedControlPlane, nad, nodePool, route, service, virtualMachineInstance } from './objects.ts';
import { indexObjects, observeTenant, type ProjectedObject } from './select.ts';

const nothingElse = { allocations: [], guestRouter: undefined };
const tenant = (name: string, attachment: string, spec: Record<string, unknown> = {}, cidrs: string[] = []): TenantNetwork =>
  tenantNetwork.parse({
    apiVersion: 'hcpio.io/v1alpha1',
    kind: 'TenantNetwork',
    metadata: { name, namespace: 'clusters' },
    spec: { ...spec, segment: { attachment, cidrs } },
  });
const slice = (name: string, namespace: string, serviceName: string) =>
  endpointSlice.parse({
    kind: 'EndpointSlice',
    metadata: { name, namespace, labels: { 'kubernetes.io/service-name': serviceName } },
    addressType: 'IPv4',
  });
const cluster = (name: string, machineNetwork: string) =>
  hostedCluster.parse({
    kind: 'HostedCluster',
    metadata: { name, namespace: 'clusters' },
    spec: { platform: { type: 'KubeVirt' }, networking: { machineNetwork: [{ cidr: machineNetwork }] } },
  });

/** One of everything that a tenant has. */
function objectsOf(name: string, vlan: number) {
  const there = (object: string) => ({ name: object, namespace: `clusters-${name}` });
  return {
    cluster: cluster(name, `10.${vlan}.0.0/16`),
    plane: hostedControlPlane.parse({ kind: 'HostedControlPlane', metadata: there(name), spec: { platform: { type: 'KubeVirt' } } }),
    service: service.parse({ kind: 'Service', metadata: there('kube-apiserver'), spec: {} }),
    route: route.parse({ kind: 'Route', metadata: there('oauth'), spec: { to: { name: 'oauth-openshift' } } }),
    slice: slice('konnectivity-server-1', `clusters-${name}`, 'konnectivity-server'),
    attachment: nad.parse({ kind: 'NetworkAttachmentDefinition', metadata: { name: `vlan${vlan}`, namespace: 'default' } }),
    pool: nodePool.parse({
      kind: 'NodePool',
      metadata: { name: `${name}-workers`, namespace: 'clusters' },
      spec: { clusterName: name, platform: { type: 'KubeVirt' } },
    }),
    machine: virtualMachineInstance.parse({ kind: 'VirtualMachineInstance', metadata: there(`${name}-1`) }),
  };
}

test("a thousand tenants are read in one pass, and each sees its own objects and nobody else's", () => {
  const names = Array.from({ length: 1000 }, (_, i) => `t${i}`);
  const worlds = names.map((name, i) => ({ own: objectsOf(name, i), tenant: tenant(name, `default/vlan${i}`) }));
  // A generator can be gone through only once.
  function* everything(): Generator<ProjectedObject | TenantNetwork> {
    for (const world of worlds) yield* [world.tenant, ...Object.values(world.own)];
  }
  const index = indexObjects(everything());
  for (const { own, tenant: asked } of worlds) {
    expect(observeTenant(index, asked, nothingElse)).toEqual({
      tenantNetwork: asked,
      hostedCluster: own.cluster,
      hostedControlPlanes: [own.plane],
      services: [own.service],
      routes: [own.route],
      endpointSlices: [own.slice],
      attachments: [own.attachment],
      nodePools: [own.pool],
      machines: [own.machine],
      hub: index.hub,
      neighbours: [],
      edgeNamespaceOwners: [],
      allocations: [],
      guestRouter: undefined,
      authorities: {},
    });
  }
});

test('the order in which objects arrive does not matter', () => {
  const there = (name: string) => ({ name, namespace: 'clusters-blue' });
  const services = ['b', 'c', 'a'].map((name) => service.parse({ kind: 'Service', metadata: there(name), spec: {} }));
  const observe = (objects: readonly ProjectedObject[]) =>
    observeTenant(indexObjects(objects), tenant('blue', 'default/vlan100'), nothingElse);
  expect(observe(services)).toEqual(observe(services.toReversed()));
  expect(observe(services).services.map((s) => s.metadata.name)).toEqual(['a', 'b', 'c']);
});

test('pods matter only of Services that the gateway dials, those of extra ports among them', () => {
  const blue = tenant('blue', 'default/vlan100', { gateway: { ports: [{ port: 9000, service: 'extra', servicePort: 80 }] } });
  const objects = ['etcd-client', 'konnectivity-server', 'extra', 'kube-apiserver'].map((name) =>
    slice(`${name}-x`, 'clusters-blue', name),
  );
  expect(observeTenant(indexObjects(objects), blue, nothingElse).endpointSlices.map((s) => s.metadata.name)).toEqual([
    'extra-x',
    'konnectivity-server-x',
    'kube-apiserver-x',
  ]);
});

test('neighbours are those on the same attachment or for the same cluster, with the networks that hold for them', () => {
  const blue = tenant('blue', 'default/vlan100', {}, ['192.168.100.0/25']);
  const red = tenant('red', 'default/vlan100', {}, ['192.168.100.128/25']);
  const green = tenant('green', 'default/vlan100');
  const double = tenant('double', 'default/vlan200', { hostedCluster: 'blue' });
  const far = tenant('far', 'default/vlan300');
  const index = indexObjects([far, red, blue, green, double, cluster('green', '192.168.101.0/24'), cluster('blue', '192.168.100.0/25')]);
  expect(observeTenant(index, blue, nothingElse).neighbours).toEqual([
    {
      tenant: 'clusters/double',
      hostedCluster: 'clusters/blue',
      attachment: 'default/vlan200',
      sameSegment: false,
      cidrs: ['192.168.100.0/25'],
    },
    {
      tenant: 'clusters/green',
      hostedCluster: 'clusters/green',
      attachment: 'default/vlan100',
      sameSegment: true,
      cidrs: ['192.168.101.0/24'],
    },
    {
      tenant: 'clusters/red',
      hostedCluster: 'clusters/red',
      attachment: 'default/vlan100',
      sameSegment: true,
      cidrs: ['192.168.100.128/25'],
    },
  ]);
});

test('a tenant of which nothing exists yet is observed as such', () => {
  const observed = observeTenant(indexObjects([]), tenant('blue', 'default/vlan100'), {
    allocations: [{ mac: '02:00:00:00:00:01', addresses: ['10.0.0.1'] }],
    guestRouter: { httpPort: 1, httpsPort: 2, machines: [] },
  });
  expect(observed).toEqual({
    tenantNetwork: tenant('blue', 'default/vlan100'),
    hostedCluster: undefined,
    hostedControlPlanes: [],
    services: [],
    routes: [],
    endpointSlices: [],
    attachments: [],
    nodePools: [],
    machines: [],
    hub: { clusterNetworks: [], serviceNetworks: [], nodeAddresses: [], ingressDomain: '', baseDomain: '', proxy: undefined },
    neighbours: [],
    edgeNamespaceOwners: [],
    allocations: [{ mac: '02:00:00:00:00:01', addresses: ['10.0.0.1'] }],
    guestRouter: { httpPort: 1, httpsPort: 2, machines: [] },
    authorities: {},
  });
});

test('two attachments of one bridge and VLAN are one segment', () => {
  const wire = (name: string) =>
    nad.parse({
      kind: 'NetworkAttachmentDefinition',
      metadata: { name, namespace: 'default' },
      spec: { config: '{"type":"bridge","bridge":"br1","vlan":7}' },
    });
  const [blue, red] = [tenant('blue', 'default/one'), tenant('red', 'default/two')];
  const index = indexObjects([blue, red, wire('one'), wire('two')]);
  expect(observeTenant(index, blue, nothingElse).neighbours).toEqual([
    { tenant: 'clusters/red', hostedCluster: 'clusters/red', attachment: 'default/two', sameSegment: true, cidrs: [] },
  ]);
});

test('a HostedCluster whose control plane lives where the edge belongs is noticed', () => {
  const index = indexObjects([cluster('blue', '192.168.100.0/24'), cluster('blue-edge', '192.168.101.0/24')]);
  expect(observeTenant(index, tenant('blue', 'default/vlan100'), nothingElse).edgeNamespaceOwners).toEqual(['clusters/blue-edge']);
});
