import { expect, test } from 'vitest';
import { tenantNetworkSchema } from '../../api/crd.ts';
import { fillDefaults } from '../../api/defaults.ts';
import { defaultTenantNetwork } from './default-tenant-network.ts';
import { creating, tenantObject } from './testing/hub.ts';

const asStored = (spec: Record<string, unknown>) => fillDefaults(tenantNetworkSchema(), tenantObject(spec));

const GATEWAY = {
  availability: 'HighlyAvailable',
  addresses: {},
  dhcp: { serve: 'KnownMachines', leaseSeconds: 900, poolSize: 4096, ntpServers: [], options: [] },
  dns: { upstreams: [], records: [] },
  apps: 'Gateway',
  ports: [],
};

test('the settings of mode Gateway are written out when nothing was said about them', () => {
  expect(defaultTenantNetwork(creating(asStored({})))).toEqual({ patch: [{ op: 'add', path: '/spec/gateway', value: GATEWAY }] });
});

test('settings that were given stay as they are, and what the CRD has filled in needs no second hand', () => {
  expect(defaultTenantNetwork(creating(asStored({ gateway: { availability: 'Single', dhcp: { leaseSeconds: 60 } } })))).toEqual({
    patch: [],
  });
});

test('without the defaults of the CRD all of them come from the schema', () => {
  const { patch } = defaultTenantNetwork(creating(tenantObject({ gateway: { apps: 'Nobody', dhcp: { leaseSeconds: 60 } } })));
  expect(patch).toEqual([
    { op: 'add', path: '/spec/segment/mtu', value: 1500 },
    { op: 'add', path: '/spec/segment/reserved', value: [] },
    { op: 'add', path: '/spec/mode', value: 'Gateway' },
    { op: 'add', path: '/spec/gateway/availability', value: 'HighlyAvailable' },
    { op: 'add', path: '/spec/gateway/addresses', value: {} },
    { op: 'add', path: '/spec/gateway/dhcp/serve', value: 'KnownMachines' },
    { op: 'add', path: '/spec/gateway/dhcp/poolSize', value: 4096 },
    { op: 'add', path: '/spec/gateway/dhcp/ntpServers', value: [] },
    { op: 'add', path: '/spec/gateway/dhcp/options', value: [] },
    { op: 'add', path: '/spec/gateway/dns', value: { upstreams: [], records: [] } },
    { op: 'add', path: '/spec/gateway/ports', value: [] },
    { op: 'add', path: '/spec/nodePools', value: 'Gate' },
    { op: 'add', path: '/spec/deletionPolicy', value: 'Delete' },
  ]);
});

test('another mode gets no settings of mode Gateway, which the CRD would refuse', () => {
  expect(defaultTenantNetwork(creating(asStored({ mode: 'LoadBalancer' })))).toEqual({ patch: [] });
});

test.each([
  ['no object', undefined],
  ['no spec', { metadata: {} }],
  ['a spec that does not fit', tenantObject({ mode: 'Bridge' })],
])('%s is left for validation to judge', (_, object) => {
  expect(defaultTenantNetwork(creating(object))).toEqual({});
});
