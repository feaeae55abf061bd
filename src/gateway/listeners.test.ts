import { expect, test } from 'vitest';
import type { ExtraPort } from '../api/tenant-network.ts';
import { planListeners } from './listeners.ts';
import type { PlannedEndpoint, TenantPlan } from './tenant-plan.ts';

const VIP = '192.168.100.3';
const endpoint = (
  service: PlannedEndpoint['service'],
  strategy: PlannedEndpoint['strategy'],
  host: string | null,
  port: number | null,
  upstream: string,
): PlannedEndpoint => ({
  service,
  strategy,
  host,
  port,
  upstream: `clusters-blue/${upstream}`,
});
const family = (cidr: string, vip: string) => ({ cidr, edgeA: '', vip, pool: [] });
const v4 = { ipv4: family('192.168.100.0/24', VIP) };
const plan = (endpoints: readonly PlannedEndpoint[], apps: string, ports: readonly ExtraPort[], addresses: TenantPlan['addresses'] = v4) =>
  planListeners(addresses, endpoints, apps, { apps: 'Gateway', ports: [...ports] }, 'clusters-blue');
const routes = [
  endpoint('OAuthServer', 'Route', 'oauth.blue.example.com', 443, 'oauth-openshift:6443'),
  endpoint('Konnectivity', 'Route', 'konnectivity.blue.example.com', 443, 'konnectivity-server:8091'),
  endpoint('Ignition', 'Route', 'ignition.blue.example.com', 443, 'ignition-server-proxy:443'),
];
const named = [
  { sni: 'oauth.blue.example.com', upstream: 'clusters-blue/oauth-openshift:6443' },
  { sni: 'konnectivity.blue.example.com', upstream: 'clusters-blue/konnectivity-server:8091' },
  { sni: 'ignition.blue.example.com', upstream: 'clusters-blue/ignition-server-proxy:443' },
];

test('an API behind a load balancer is plain TCP, the routes share 443 by name', () => {
  const api = endpoint('APIServer', 'LoadBalancer', 'api.blue.example.com', 6443, 'kube-apiserver:6443');
  expect(plan([api, ...routes], '', [])).toEqual({
    conflicts: [],
    listeners: [
      { address: VIP, port: 443, kind: 'sni', routes: named },
      { address: VIP, port: 6443, kind: 'tcp', routes: [{ sni: null, upstream: 'clusters-blue/kube-apiserver:6443' }] },
    ],
  });
});

test('an API published by Route is the default chain of 443, behind every name', () => {
  const api = endpoint('APIServer', 'Route', 'api.blue.example.com', 443, 'kube-apiserver:6443');
  expect(plan([api, ...routes], 'apps.blue.example.com', []).listeners).toEqual([
    { address: VIP, port: 80, kind: 'tcp', routes: [{ sni: null, upstream: 'guest:http' }] },
    {
      address: VIP,
      port: 443,
      kind: 'sni',
      routes: [
        ...named,
        { sni: '*.apps.blue.example.com', upstream: 'guest:https' },
        { sni: null, upstream: 'clusters-blue/kube-apiserver:6443' },
      ],
    },
  ]);
});

test('by NodePort every service has a plain listener of its own', () => {
  const ports = [
    endpoint('APIServer', 'NodePort', VIP, 30643, 'kube-apiserver:6443'),
    endpoint('OAuthServer', 'NodePort', VIP, 30644, 'oauth-openshift:6443'),
    endpoint('Konnectivity', 'NodePort', VIP, 30645, 'konnectivity-server:8091'),
    endpoint('Ignition', 'NodePort', VIP, 30646, 'ignition-server-proxy:443'),
  ];
  expect(plan(ports, '', []).listeners.map((l) => [l.port, l.kind, l.routes[0]?.upstream])).toEqual([
    [30643, 'tcp', 'clusters-blue/kube-apiserver:6443'],
    [30644, 'tcp', 'clusters-blue/oauth-openshift:6443'],
    [30645, 'tcp', 'clusters-blue/konnectivity-server:8091'],
    [30646, 'tcp', 'clusters-blue/ignition-server-proxy:443'],
  ]);
});

test('what is not published yet has no listener', () => {
  expect(plan([endpoint('APIServer', 'LoadBalancer', null, null, 'kube-apiserver:6443')], '', []).listeners).toEqual([]);
});

test('two services that want one port are told, and the first one keeps it', () => {
  const api = endpoint('APIServer', 'LoadBalancer', 'api.blue.example.com', 6443, 'kube-apiserver:6443');
  const { listeners, conflicts } = plan([api], '', [{ port: 6443, service: 'metrics', servicePort: 9090 }]);
  expect(listeners).toEqual([
    { address: VIP, port: 6443, kind: 'tcp', routes: [{ sni: null, upstream: 'clusters-blue/kube-apiserver:6443' }] },
  ]);
  expect(conflicts).toEqual([{ port: 6443, sni: null, owners: ['APIServer', 'spec.gateway.ports (metrics)'] }]);
});

test('every family of the VIP listens alike', () => {
  const { listeners } = plan(routes, '', [], { ...v4, ipv6: family('fd00:100::/64', 'fd00:100::3') });
  expect(listeners.map((l) => l.address)).toEqual([VIP, 'fd00:100::3']);
});
