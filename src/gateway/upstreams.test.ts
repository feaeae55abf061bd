import { expect, test } from 'vitest';
import { endpointSlice, service } from '../hosted-cluster/objects.ts';
import type { PlannedListener } from './tenant-plan.ts';
import { planUpstreams } from './upstreams.ts';

const listeners = (...upstreams: string[]): PlannedListener[] => [
  { address: '192.168.100.3', port: 443, kind: 'sni', routes: upstreams.map((upstream) => ({ sni: upstream, upstream })) },
];
const svc = (name: string, clusterIP: string) =>
  service.parse({ kind: 'Service', metadata: { name, namespace: 'clusters-blue' }, spec: { clusterIPs: [clusterIP], ports: [] } });
const slice = (addresses: string[], ready: boolean) =>
  endpointSlice.parse({
    kind: 'EndpointSlice',
    metadata: { name: 'k-1', namespace: 'clusters-blue', labels: { 'kubernetes.io/service-name': 'konnectivity-server' } },
    addressType: 'IPv4',
    endpoints: [{ addresses, conditions: { ready } }],
    ports: [{ port: 8091 }],
  });
const none = { services: [], endpointSlices: [], reservations: [], guestRouter: undefined };

test('a hub service is dialled at its ClusterIP', () => {
  const upstream = 'clusters-blue/kube-apiserver:6443';
  expect(planUpstreams({ ...none, listeners: listeners(upstream), services: [svc('kube-apiserver', '172.30.0.9')] })).toEqual([
    { upstream, discovery: 'clusterIP', endpoints: [{ address: '172.30.0.9', port: 6443 }] },
  ]);
});

test('a service without an address is an upstream without endpoints', () => {
  const upstream = 'clusters-blue/ignition-server-proxy:443';
  expect(planUpstreams({ ...none, listeners: listeners(upstream) })).toEqual([{ upstream, discovery: 'clusterIP', endpoints: [] }]);
});

test('konnectivity goes to every ready pod, and to the ClusterIP until one is known', () => {
  const upstream = 'clusters-blue/konnectivity-server:8091';
  const services = [svc('konnectivity-server', '172.30.0.5')];
  const endpoints = (slices: ReturnType<typeof slice>[]) =>
    planUpstreams({ ...none, listeners: listeners(upstream), services, endpointSlices: slices })[0]?.endpoints;
  expect(endpoints([slice(['10.128.0.8', '10.128.0.7'], true), slice(['10.128.0.9'], false)])).toEqual([
    { address: '10.128.0.7', port: 8091 },
    { address: '10.128.0.8', port: 8091 },
  ]);
  expect(endpoints([])).toEqual([{ address: '172.30.0.5', port: 8091 }]);
});

test('apps go to the workers that run a router', () => {
  const reservations = ['w1', 'w2'].map((machine, i) => ({
    machine,
    mac: `02:00:00:00:00:0${i}`,
    addresses: { ipv4: `192.168.100.1${i}` },
  }));
  const planned = planUpstreams({
    ...none,
    listeners: listeners('guest:https'),
    reservations,
    guestRouter: { httpsPort: 31443, httpPort: 31080, machines: ['w2'] },
  });
  expect(planned).toEqual([{ upstream: 'guest:https', discovery: 'workers', endpoints: [{ address: '192.168.100.11', port: 31443 }] }]);
});
