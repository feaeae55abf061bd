import { beforeAll, describe, expect, test } from 'vitest';
import { type Published, type ReadyEndpoints, readEndpoints } from './endpoints.ts';
import type { Condition, HostedCluster, HostedControlPlane, Manifest, Route, Service, Strategy } from './hosted-cluster.ts';
import { hostedControlPlane } from './hosted-control-plane.ts';
import { AUTHORITIES, certificates } from './pki/catalogue.ts';
import type { Material } from './pki/secrets.ts';
import { type HubFacts, type Play, play, type World } from './play.ts';
import { byName, fixture, type Stage, type Variant } from './testing/fixtures.ts';

const HUB: HubFacts = { clusterNetworks: ['10.128.0.0/14'], serviceNetworks: ['172.30.0.0/16'], ingressDomain: 'apps.mgmt.example.com' };

/** What was there when the dump of a stage was made: the world in which we must say the same as HyperShift. */
const SEEN: Readonly<Record<Stage, Pick<World, 'workloads'>>> = {
  'stage0-ho-only': { workloads: {} },
  'stage1-nothing-played': { workloads: {} },
  'stage2-infrastructure-ready': { workloads: { etcd: 'Waiting', 'ignition-server': 'Waiting' } },
  final: {
    workloads: Object.fromEntries(
      ['etcd', 'ignition-server', 'ignition-server-proxy', 'kube-apiserver', 'kube-controller-manager', 'oauth-openshift'].map((name) => [
        name,
        'Available',
      ]),
    ),
  },
};

function worldAt(variant: Variant, stage: Stage): World {
  const read = <T extends Manifest>(file: string) => fixture(variant, stage, file) as readonly unknown[] as readonly T[];
  const [cluster] = read<Manifest & HostedCluster>('hostedcluster');
  const [controlPlane] = read<Manifest & HostedControlPlane>('hostedcontrolplane');
  if (cluster === undefined) throw new Error('no HostedCluster in the fixture');
  const owner = controlPlane?.metadata.ownerReferences?.[0];
  return {
    cluster,
    hub: HUB,
    // At stage 0 the control-plane operator did not run yet, so nobody had looked at the HostedControlPlane.
    controlPlane: stage === 'stage0-ho-only' ? undefined : controlPlane,
    capiCluster: owner && { name: owner.name, uid: owner.uid },
    services: read<Manifest & Service>('services'),
    routes: read<Manifest & Route>('routes'),
    material:
      stage === 'stage0-ho-only' || stage === 'stage1-nothing-played'
        ? undefined
        : noKeys(cluster, controlPlane, read('services'), read('routes')),
    ...SEEN[stage],
  };
}

/** Certificates are compared in pki/; here only the objects around them matter. */
function noKeys(
  cluster: HostedCluster,
  hcp: HostedControlPlane | undefined,
  services: readonly unknown[],
  routes: readonly unknown[],
): Material {
  if (hcp === undefined) throw new Error('no HostedControlPlane in the fixture');
  const endpoints = readEndpoints(cluster.spec, { services: services as Service[], routes: routes as Route[] }) as ReadyEndpoints;
  const secrets = [...AUTHORITIES, ...certificates(hcp, endpoints)].map(({ secret }) => [secret, { cert: 'c', key: 'k' }] as const);
  return { pairs: new Map(secrets), serviceAccountKey: { privateKey: '', publicKey: '' }, kubeadminPassword: '' };
}

const ofKind = (played: Play, kind: string) => played.objects.filter((object) => object.kind === kind);

/** The moment of a change is the clock's; the rest of a condition is not. The age of a Service and what a resolver said are left out by us. */
function spoken(conditions: readonly Condition[]): readonly unknown[] {
  const spokenBy = ({ type, status, reason, message = '', observedGeneration }: Condition) => ({
    type,
    status,
    reason,
    observedGeneration,
    message: type === 'ExternalDNSReachable' && status === 'False' ? 'lookup ...' : message.replace(/; \S+ since creation\.$/, ''),
  });
  return conditions.map(spokenBy).sort((a, b) => a.type.localeCompare(b.type));
}

describe.each(['blue', 'gray'] as const)('%s: what the player writes is what HyperShift wrote', (variant) => {
  describe.each(['stage0-ho-only', 'stage1-nothing-played', 'stage2-infrastructure-ready', 'final'] as const)('at %s', (stage) => {
    let played: Play;
    let world: World;
    beforeAll(() => {
      world = worldAt(variant, stage);
      played = play(world);
    });

    test('the namespace', () => {
      const [theirs] = fixture(variant, stage, 'namespace');
      const labels = { 'kubernetes.io/metadata.name': theirs?.metadata.name }; // added by the API server
      const [ours] = ofKind(played, 'Namespace');
      expect({ ...ours?.metadata.labels, ...labels }).toEqual(theirs?.metadata.labels);
      expect(ours?.metadata.name).toEqual(theirs?.metadata.name);
    });

    test('the network policies', () => {
      expect(byName(ofKind(played, 'NetworkPolicy'))).toEqual(byName(fixture(variant, stage, 'networkpolicies')));
    });

    test('the HostedControlPlane', () => {
      expect(byName(ofKind(played, 'HostedControlPlane'))).toEqual(byName(fixture(variant, stage, 'hostedcontrolplane')));
    });

    test('the Services', () => {
      expect(byName(ofKind(played, 'Service'))).toEqual(byName(fixture(variant, stage, 'services')));
    });

    test('the Routes', () => {
      expect(byName(ofKind(played, 'Route'))).toEqual(byName(fixture(variant, stage, 'routes')));
    });

    test('the status of the HostedCluster', () => {
      const { conditions: theirConditions, ...theirs } = statusOf(world.cluster);
      const { conditions, ...ours } = played.clusterStatus;
      expect(spoken(conditions)).toEqual(spoken(theirConditions));
      expect(undated(ours)).toEqual(undated(theirs));
    });

    test('the status of the HostedControlPlane', () => {
      if (world.controlPlane?.status === undefined) {
        expect(played.controlPlaneStatus).toBeUndefined();
        return;
      }
      const { conditions: theirConditions, ...theirs } = statusOf(world.controlPlane);
      const { conditions = [], ...ours } = played.controlPlaneStatus ?? {};
      expect(spoken(conditions)).toEqual(spoken(theirConditions));
      expect(undated(ours)).toEqual(undated(theirs));
    });
  });
});

function statusOf(object: HostedCluster | HostedControlPlane): { readonly conditions: readonly Condition[] } {
  return object.status as { readonly conditions: readonly Condition[] };
}

/** No registry in the lab, so the digest of the release image is not known; and nobody's clock is compared. */
function undated(status: unknown): unknown {
  return JSON.parse(
    JSON.stringify(status, (key, value: unknown) => {
      if (key === 'startedTime') return undefined;
      return key === 'image' && typeof value === 'string' ? value.replace(/[@:].*$/, '') : value;
    }),
  );
}

/** No dump of these is at hand: what is expected here was read from the operators' source and seen with them once. */
describe('publishing by other means', () => {
  const clusterWith = (strategy: (name: string) => Strategy): HostedCluster => {
    const { cluster } = worldAt('blue', 'final');
    const services = cluster.spec.services.map(({ service }) => ({ service, servicePublishingStrategy: strategy(service) }));
    return { ...cluster, spec: { ...cluster.spec, services } };
  };
  const playedWith = (cluster: HostedCluster, published: Partial<Published> = {}) =>
    play({ ...worldAt('blue', 'final'), cluster, controlPlane: controlPlaneOf(cluster), services: [], routes: [], ...published });
  const controlPlaneOf = (cluster: HostedCluster) => ({
    ...hostedControlPlane(cluster, { finalizer: true }),
    metadata: { name: 'blue', namespace: 'clusters-blue', uid: 'u' },
  });
  const service = (name: string, nodePort: number, ip?: string): Service => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'clusters-blue' },
    spec: { ports: [{ port: 1, nodePort }] },
    ...(ip ? { status: { loadBalancer: { ingress: [{ ip }] } } } : {}),
  });

  test('NodePort: a policy per port, the address opened to the workers, no Route, and ignition known only with its proxy', () => {
    const cluster = clusterWith(() => ({ type: 'NodePort', nodePort: { address: '192.168.100.3' } }));
    const before = playedWith(cluster);
    expect(ofKind(before, 'NetworkPolicy').map(({ metadata }) => metadata.name)).toEqual([
      'openshift-ingress',
      'same-namespace',
      'kas',
      'openshift-monitoring',
      'virt-launcher',
      'nodeport-oauth',
      'nodeport-ignition',
      'nodeport-ignition-proxy',
      'nodeport-konnectivity',
      'nodeport-konnectivity-kas',
    ]);
    const [launcher] = ofKind(before, 'NetworkPolicy').filter(({ metadata }) => metadata.name === 'virt-launcher');
    expect((launcher as unknown as { spec: { egress: unknown[] } }).spec.egress.slice(1)).toEqual([
      { to: [{ ipBlock: { cidr: '192.168.100.3/32' } }] },
    ]);
    expect(ofKind(before, 'Route')).toEqual([]);
    expect(before.clusterStatus['ignitionEndpoint']).toBeUndefined();

    const services = [service('kube-apiserver', 30001), service('oauth-openshift', 30002), service('konnectivity-server', 30003)];
    const ready = playedWith(cluster, { services });
    expect(ready.clusterStatus['controlPlaneEndpoint']).toEqual({ host: '192.168.100.3', port: 30001 });
    const last = playedWith(cluster, { services: [...services, service('ignition-server-proxy', 30004)] });
    expect(last.clusterStatus['ignitionEndpoint']).toEqual('192.168.100.3:30004');
  });

  test('Route for all: a router of its own, labels on every Route, no policy for the hub ingress, and port 443 for the API', () => {
    const host = (name: string) => `${name.toLowerCase()}.blue.example.com`;
    const cluster = clusterWith((name) => ({ type: 'Route', route: { hostname: host(name) } }));
    const before = playedWith(cluster);
    expect(before.clusterStatus['controlPlaneEndpoint']).toEqual({ host: '', port: 443 });
    const ready = playedWith(cluster, {
      services: [service('router', 30001, '192.168.101.13')],
      routes: before.objects.filter(({ kind }) => kind === 'Route') as readonly unknown[] as Route[],
    });
    expect(ready.clusterStatus['controlPlaneEndpoint']).toEqual({ host: 'apiserver.blue.example.com', port: 443 });
    expect(ofKind(ready, 'NetworkPolicy').some(({ metadata }) => metadata.name === 'openshift-ingress')).toBe(false);
    const label = { 'hypershift.openshift.io/hosted-control-plane': 'clusters-blue' };
    expect(ofKind(ready, 'Route').map(({ metadata, spec }) => [metadata.name, (spec as { host: string }).host, metadata.labels])).toEqual([
      ['kube-apiserver', 'apiserver.blue.example.com', label],
      ['kube-apiserver-internal', 'api.blue.hypershift.local', { ...label, 'hypershift.openshift.io/internal-route': 'true' }],
      ['konnectivity-server', 'konnectivity.blue.example.com', label],
      ['oauth', 'oauthserver.blue.example.com', label],
      ['ignition-server', 'ignition.blue.example.com', label],
    ]);
    const [router] = ofKind(ready, 'Service').filter(({ metadata }) => metadata.name === 'router');
    expect(router?.['spec']).toEqual({
      type: 'LoadBalancer',
      ports: [{ name: 'https', port: 443, targetPort: 'https', protocol: 'TCP' }],
      selector: { app: 'private-router' },
    });
  });
});

test('ignition-server-proxy comes only after ignition-server is available, and nothing takes its place before', () => {
  const names = (stage: Stage) => ofKind(play(worldAt('blue', stage)), 'Service').map(({ metadata }) => metadata.name);
  expect(names('stage2-infrastructure-ready').filter((name) => name.startsWith('ignition'))).toEqual(['ignition-server']);
  expect(names('final').filter((name) => name.startsWith('ignition'))).toEqual(['ignition-server', 'ignition-server-proxy']);
});
