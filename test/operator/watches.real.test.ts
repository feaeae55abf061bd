/**
 * Everything that a tenant is made of is followed: one change each, of one object, and what the operator makes of it. Whichever watch is
 * missing, one of these waits in vain.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TenantNetworkStatus } from '../../src/api/tenant-network-status.ts';
import { AUTHORITY_SOURCES } from '../../src/hosted-cluster/authorities.ts';
import type { WireObject } from '../../src/kube/object.ts';
import * as r from '../../src/operator/resources.ts';
import { AuditLog } from './audit.ts';
import { eventually, type Hub, startHub } from './hub.ts';
import { type RunningOperator, startOperator } from './in-process.ts';
import { runPod } from './kubelet.ts';
import * as play from './player.ts';

const audit = new AuditLog();
const played = play.tenant(1);
const edge = `${played.controlPlane}-edge`;
const inControlPlane = (name: string) => ({ namespace: played.controlPlane, name });
let hub: Hub;
let operator: RunningOperator;

beforeAll(async () => {
  hub = await startHub({ audit });
  for (const object of [play.namespace(played.namespace), play.attachment(played), cluster, play.nodePool(played)]) await hub.apply(object);
  await play.playControlPlane(hub, played);
  await hub.apply(play.tenantNetwork(played));
  operator = await startOperator(hub);
  await said('Applied', 'True Applied');
});
afterAll(async () => {
  await operator?.stop();
  await hub?.stop();
});

const status = async () =>
  ((await hub.client.get<WireObject>(r.TENANT_NETWORK, played, hub.signal))['status'] ?? {}) as TenantNetworkStatus;
const eventual = (what: string, ask: () => Promise<boolean>) => eventually(what, ask, AbortSignal.timeout(60_000));
const said = (type: string, text: string) =>
  eventual(`${type} ${text}`, async () => {
    const found = (await status()).conditions?.find((one) => one.type === type);
    return `${found?.status} ${found?.reason}` === text;
  });
const textOf = async (resource: typeof r.POD, name: string) =>
  JSON.stringify(await hub.client.find(resource, { namespace: edge, name }, hub.signal));
const contains = (resource: typeof r.POD, name: string, text: string) =>
  eventual(`${resource.kind} ${name} with ${text}`, async () => (await textOf(resource, name)).includes(text));
const put =
  (...objects: readonly WireObject[]) =>
  async () => {
    for (const object of objects) await hub.apply(object);
  };
const drop = (resource: typeof r.POD, key: { readonly namespace?: string; readonly name: string }) => () =>
  hub.client.delete(resource, key, hub.signal);

const changed = (object: WireObject, spec: object): WireObject => ({ ...object, spec: { ...(object['spec'] as object), ...spec } });
/** Its OAuth server is published under the host that the hub gives to the Route. */
const cluster = changed(play.hostedCluster(played), {
  services: (play.hostedCluster(played)['spec'] as { services: readonly { service: string }[] }).services.map((one) =>
    one.service === 'OAuthServer' ? { ...one, servicePublishingStrategy: { type: 'Route' } } : one,
  ),
});
const STATEFUL_SET = { ...r.POD, group: 'apps', plural: 'statefulsets', kind: 'StatefulSet' };
const published = (kind: string, name: string) =>
  play.published(played).find((one) => one.kind === kind && one.metadata.name === name) as WireObject;
const route = published('Route', 'oauth');
const service = published('Service', 'oauth-openshift');
const slices = play.published(played).filter(({ kind }) => kind === 'EndpointSlice');
const unready = slices.map((one) => ({ ...one, endpoints: [{ addresses: ['10.128.0.21'], conditions: { ready: false } }] }));
const controlPlaneAt = (port: number) => async () => {
  const status = { ready: true, initialized: true, controlPlaneEndpoint: { host: `api.${played.name}.example.com`, port } };
  await hub.apply({ ...play.hostedControlPlane(played), status }, 'status');
};
const hubNetwork = { apiVersion: 'config.openshift.io/v1', kind: 'Network', metadata: { name: 'cluster' } };
const authority = (name: keyof typeof AUTHORITY_SOURCES): WireObject => {
  const { kind, name: object, key } = AUTHORITY_SOURCES[name];
  const pem = `authority of ${name}`;
  const head = { apiVersion: 'v1', kind, metadata: inControlPlane(object) };
  if (kind === 'ConfigMap') return { ...head, data: { [key]: pem } };
  const [tls, empty] = [pem, 'none'].map((text) => Buffer.from(text).toString('base64'));
  return { ...head, type: 'kubernetes.io/tls', data: { 'tls.crt': tls, 'tls.key': empty } } as WireObject;
};

interface Change {
  readonly change: () => Promise<unknown>;
  readonly seen: () => Promise<unknown>;
  /** As it was, so that the next one begins where this one did. */
  readonly undo: () => Promise<unknown>;
}

const CHANGES: Readonly<Record<string, Change>> = {
  'pods behind a Service of the control plane that are no longer ready': {
    change: put(...unready),
    seen: () => said('EndpointsReady', 'False NoReadyUpstream'),
    undo: async () => {
      await put(...slices)();
      await said('EndpointsReady', 'True UpstreamsReady');
    },
  },
  'a Service of the control plane that goes': {
    change: drop(r.SERVICE, inControlPlane('oauth-openshift')),
    seen: () => said('EndpointsReady', 'False WaitingForHyperShift'),
    undo: put(service),
  },
  'a Route with another host': {
    change: put(changed(route, { host: 'moved.example.com' })),
    seen: () => contains(r.CONFIG_MAP, 'edge-a-gateway', 'moved.example.com'),
    undo: put(route),
  },
  'a control plane that is published on another port': {
    change: controlPlaneAt(7443),
    seen: () => contains(r.CONFIG_MAP, 'edge-a-gateway', '7443'),
    undo: controlPlaneAt(6443),
  },
  'a HostedCluster with tolerations': {
    change: put(changed(cluster, { tolerations: [{ key: 'followed', operator: 'Exists' }] })),
    seen: () => contains(STATEFUL_SET, 'edge-a', '"followed"'),
    undo: put(cluster),
  },
  'a NodePool that goes': {
    change: async () => {
      await said('NodePoolsReleased', 'False Gated');
      await drop(r.NODE_POOL, { namespace: played.namespace, name: played.name })();
    },
    seen: () => said('NodePoolsReleased', 'True Released'),
    undo: put(play.nodePool(played)),
  },
  'a machine': {
    change: () => play.playMachine(hub, played, 1),
    seen: () => eventual('a worker', async () => (await status()).workers === 1),
    undo: drop(r.VIRTUAL_MACHINE_INSTANCE, inControlPlane(`${played.name}-7d9f4-1`)),
  },
  'an attachment that leads to another bridge': {
    change: put(
      changed(play.attachment(played), { config: JSON.stringify({ cniVersion: '0.3.1', name: 'x', type: 'bridge', bridge: 'br-moved' }) }),
    ),
    seen: () => contains(r.NETWORK_ATTACHMENT, 'edge-a', 'br-moved'),
    undo: put(play.attachment(played)),
  },
  ...Object.fromEntries(
    (['root', 'konnectivity', 'ignition'] as const).map((name) => [
      `the authority of ${name}`,
      {
        change: put(authority(name)),
        seen: () => contains(r.CONFIG_MAP, 'prober-probes', `authority of ${name}`),
        undo: drop(AUTHORITY_SOURCES[name].kind === 'Secret' ? r.SECRET : r.CONFIG_MAP, inControlPlane(AUTHORITY_SOURCES[name].name)),
      },
    ]),
  ),
  'a pod of the edge': {
    change: () => runPod(hub, edge, 'edge-a', [played.cidr.replace('.0/24', '.2')]),
    seen: () => eventual('the pod in the status', async () => (await status()).edges?.[0]?.node === 'node-of-edge-a'),
    undo: drop(r.POD, { namespace: edge, name: 'edge-a-0' }),
  },
  'an object of ours that goes': {
    change: drop(r.CONFIG_MAP, { namespace: edge, name: 'edge-a-dns' }),
    seen: () => contains(r.CONFIG_MAP, 'edge-a-dns', 'Corefile'),
    undo: async () => {},
  },
  'a network of the hub that overlaps the segment': {
    change: put({ ...hubNetwork, spec: { clusterNetwork: [{ cidr: '10.200.0.0/14', hostPrefix: 23 }] } } as WireObject),
    seen: () => said('Accepted', 'False Refused'),
    undo: drop(r.HUB_NETWORK, { name: 'cluster' }),
  },
};

test.each(Object.keys(CHANGES))('%s is followed', async (name) => {
  const { change, seen, undo } = CHANGES[name] as Change;
  // Nothing else may be what makes the operator look.
  await audit.quiet();
  await change();
  await seen();
  await undo();
  await said('Accepted', 'True Accepted');
});

test('there is a case for every source that is followed', () => {
  const { hub: _, services: __, openServices: ___, openSlices: ____, ...sources } = operator.operator.world.sources;
  // The TenantNetwork's own changes, and its neighbours', are what lifecycle.real.test.ts is about.
  expect(Object.keys(sources).sort()).toEqual([
    'attachments',
    'authorities',
    'endpointSlices',
    'hostedClusters',
    'hostedControlPlanes',
    'ledger',
    'machines',
    'nodePools',
    'pods',
    'routes',
    'tenants',
  ]);
});
