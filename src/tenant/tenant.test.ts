import { expect, test } from 'vitest';
import { hasErrors } from '../api/finding.ts';
import { blueObserved, type Change } from '../hosted-cluster/testing/blue.ts';
import { planTenant } from './plan.ts';
import { renderTenant } from './render.ts';

const render = (change: Change = {}) => {
  const observed = blueObserved(change);
  return renderTenant(planTenant(observed), observed, { platform: 'kubernetes' });
};

test('a /24 reads .1 .2 .3 .4 .5, with the pool from .10', () => {
  expect(planTenant(blueObserved()).addresses).toEqual({
    ipv4: {
      cidr: '192.168.100.0/24',
      router: '192.168.100.1',
      edgeA: '192.168.100.2',
      vip: '192.168.100.3',
      edgeB: '192.168.100.4',
      prober: '192.168.100.5',
      pool: [['192.168.100.10', '192.168.100.254']],
    },
  });
});

test('the plan of an applied plan changes nothing', () => {
  const first = planTenant(blueObserved());
  const allocations = first.dhcp.reservations.map((r) => ({ mac: r.mac, addresses: Object.values(r.addresses) }));
  const second = planTenant(blueObserved({ observed: { allocations } }));
  expect(second).toEqual(first);
  expect(render({ observed: { allocations } })).toEqual(render());
});

test('a refused address plan leaves out what depends on it and says why', () => {
  const plan = planTenant(blueObserved({ spec: { segment: { attachment: 'default/vlan100', cidrs: ['192.168.100.7/24'] } } }));
  expect({ addresses: plan.addresses, names: plan.names, listeners: plan.listeners, edges: plan.edges, openPorts: plan.openPorts }).toEqual(
    {
      addresses: {},
      names: [],
      listeners: [],
      edges: [],
      openPorts: [],
    },
  );
  expect(plan.findings.filter((f) => f.severity === 'error').map((f) => f.code)).toEqual(['HCPIO-NET-001']);
});

test('the gateway stands on the address that the cluster publishes by NodePort', () => {
  const services = ['APIServer', 'OAuthServer', 'Konnectivity', 'Ignition'].map((service) => ({
    service,
    servicePublishingStrategy: { type: 'NodePort', nodePort: { address: '192.168.100.77' } },
  }));
  const plan = planTenant(blueObserved({ hostedClusterSpec: { services } }));
  expect(plan.addresses.ipv4?.vip).toBe('192.168.100.77');
});

test('mistake 26: workers are not started by writing to the HostedCluster, whose status HyperShift overwrites every minute', () => {
  const { manifests } = render();
  expect(manifests.filter((m) => m.apiVersion.startsWith('hypershift.openshift.io/'))).toEqual([]);
  expect(manifests.filter((m) => 'status' in m)).toEqual([]);
});

test('a tenant without a router still gives its workers a default route, to an address that forwards nothing', () => {
  const plan = planTenant(
    blueObserved({ spec: { segment: { attachment: 'default/vlan100', cidrs: ['192.168.100.0/24'], router: 'None' } } }),
  );
  expect(hasErrors(plan.findings)).toBe(false);
  expect(plan.dhcp.options.filter((o) => o.code === 3 || o.code === 121)).toEqual([
    { code: 3, name: 'routers', data: '192.168.100.2' },
    { code: 121, name: 'classless-static-route', data: '0.0.0.0/0 - 192.168.100.2' },
  ]);
});
