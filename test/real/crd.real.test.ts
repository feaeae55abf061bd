import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { tenantNetworkCrd } from '../../src/api/crd.ts';
import { fromShorthand } from '../../src/api/shorthand.ts';
import { tenantNetwork } from '../../src/api/tenant-network.ts';
import type { TenantNetworkStatus } from '../../src/api/tenant-network-status.ts';
import { type ControlPlane, startControlPlane } from '../../tools/testing/control-plane.ts';

/** The generated CRD before the judge that matters: a real kube-apiserver. */
const PATH = '/apis/hcpio.io/v1alpha1/namespaces/default/tenantnetworks';
let hub: ControlPlane;

interface Answer {
  readonly status: number;
  readonly warnings: string;
  readonly body: { readonly message?: string; readonly reason?: string; readonly [field: string]: unknown };
}

const call = (method: string, path: string, body?: unknown, contentType = 'application/json'): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const req = request(
      `${hub.url}${path}`,
      { method, ca: hub.ca, headers: { authorization: `Bearer ${hub.token}`, 'content-type': contentType } },
      (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('error', reject);
        res.on('end', () =>
          resolve({
            status: res.statusCode ?? 0,
            warnings: String(res.headers['warning'] ?? ''),
            body: JSON.parse(Buffer.concat(chunks).toString()) as Answer['body'],
          }),
        );
      },
    );
    req.on('error', reject);
    req.end(body === undefined ? undefined : JSON.stringify(body));
  });

const object = (name: string, spec: unknown) => ({
  apiVersion: 'hcpio.io/v1alpha1',
  kind: 'TenantNetwork',
  metadata: { name, namespace: 'default' },
  spec,
});
const segment = (more: Record<string, unknown> = {}) => ({ attachment: 'default/vlan100', cidrs: ['192.168.100.0/24'], ...more });
const create = (spec: unknown, name = 'tried', query = '?fieldValidation=Strict&dryRun=All') =>
  call('POST', `${PATH}${query}`, object(name, spec));
const merge = (name: string, patch: unknown) =>
  call('PATCH', `${PATH}/${name}?fieldValidation=Strict`, patch, 'application/merge-patch+json');

const everything = {
  hostedCluster: 'blue',
  segment: segment({
    cidrs: ['192.168.100.0/24', 'fd00:100::/64'],
    router: '192.168.100.1,fd00:100::1',
    mtu: 9000,
    reserved: ['192.168.100.200-192.168.100.220'],
  }),
  mode: 'Gateway',
  gateway: {
    availability: 'Single',
    addresses: { edgeA: '192.168.100.2', vip: '192.168.100.3,fd00:100::3' },
    dhcp: {
      serve: 'Anyone',
      leaseSeconds: 600,
      poolSize: 100,
      ntpServers: ['192.168.100.1'],
      options: [{ code: 66, data: 'tftp.example.com' }],
    },
    dns: { upstreams: ['192.168.100.1'], records: [{ name: '*.mirror.example.com', type: 'A', value: '192.168.100.9' }] },
    apps: 'Nobody',
    ports: [{ port: 8443, sni: 'extra.blue.example.com', service: 'extra', servicePort: 8443 }],
  },
  nodePools: 'Ignore',
  deletionPolicy: 'Retain',
};

beforeAll(async () => {
  hub = await startControlPlane();
  const crd = await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldValidation=Strict', tenantNetworkCrd());
  expect({ status: crd.status, message: crd.body.message, warnings: crd.warnings }).toEqual({
    status: 201,
    message: undefined,
    warnings: '',
  });
  await hub.kubectl('wait', '--for=condition=Established', 'crd/tenantnetworks.hcpio.io');
});
afterAll(() => hub?.stop());

test('the API server has nothing to complain about: the schema is structural and its rules are affordable', async () => {
  const { body } = await call('GET', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/tenantnetworks.hcpio.io');
  const conditions = (body['status'] as { conditions: { type: string; status: string }[] }).conditions.map(
    ({ type, status }) => `${type}=${status}`,
  );
  expect(conditions.sort()).toEqual(['Established=True', 'NamesAccepted=True']);
});

describe('accepted', () => {
  test.each([
    ['the shortest', { segment: { attachment: 'default/vlan100' } }],
    ['every field', everything],
    ['a segment without a router', { segment: segment({ router: 'None' }) }],
    ['IPv6 alone', { segment: segment({ cidrs: ['fd00:100::/64'] }) }],
    ['another mode with its member', { segment: segment(), mode: 'LoadBalancer', loadBalancer: {} }],
  ])('%s', async (_, spec) => {
    const answer = await create(spec);
    expect({ status: answer.status, message: answer.body.message }).toEqual({ status: 201, message: undefined });
  });

  test.each([
    ['the shortest', { segment: { attachment: 'default/vlan100' } }],
    ['an empty gateway', { segment: segment(), gateway: {} }],
    ['half a gateway', { segment: segment(), gateway: { dhcp: { serve: 'Anyone' }, dns: {} } }],
    ['every field', everything],
  ])('the API server fills in the same defaults as the planner: %s', async (_, spec) => {
    const stored = (await create(spec)).body['spec'];
    expect(stored).toEqual(tenantNetwork.parse(object('tried', spec)).spec);
  });

  test('what the annotation stands for', async () => {
    const meant = fromShorthand({
      metadata: { name: 'blue', namespace: 'default', annotations: { 'hcpio.io/tenant-network': 'default/vlan100' } },
    });
    expect((await call('POST', `${PATH}?fieldValidation=Strict&dryRun=All`, meant)).status).toBe(201);
  });
});

test.each(['blue', 'nodeport', 'dual-stack', 'mistakes'])('the TenantNetwork of examples/%s is well formed', async (name) => {
  const written = parse(readFileSync(join(import.meta.dirname, '..', '..', 'examples', name, 'tenant-network.yaml'), 'utf8')) as {
    spec: unknown;
  };
  const answer = await create(written.spec);
  expect({ status: answer.status, message: answer.body.message }).toEqual({ status: 201, message: undefined });
});

describe('refused on creation, and the answer says why', () => {
  test.each([
    ['gateway settings in another mode', { segment: segment(), mode: 'PrimaryUDN', gateway: {} }, 'gateway settings need mode Gateway'],
    ['load balancer settings in mode Gateway', { segment: segment(), loadBalancer: {} }, 'loadBalancer settings need mode LoadBalancer'],
    ['UDN settings in mode Gateway', { segment: segment(), primaryUDN: {} }, 'primaryUDN settings need mode PrimaryUDN'],
    ['an unknown mode', { segment: segment(), mode: 'Bridge' }, 'spec.mode: Unsupported value: "Bridge"'],
    ['no segment', {}, 'spec.segment: Required value'],
    ['no attachment', { segment: {} }, 'spec.segment.attachment: Required value'],
    [
      'an attachment without a namespace',
      { segment: segment({ attachment: 'vlan100' }) },
      'must be namespace/name of a NetworkAttachmentDefinition',
    ],
    [
      'an attachment with blanks',
      { segment: segment({ attachment: 'default/vlan 100' }) },
      'must be namespace/name of a NetworkAttachmentDefinition',
    ],
    ['a CIDR that is none', { segment: segment({ cidrs: ['192.168.100.0'] }) }, 'must be a network in CIDR notation without host bits'],
    [
      'a CIDR with host bits',
      { segment: segment({ cidrs: ['192.168.100.7/24'] }) },
      'must be a network in CIDR notation without host bits',
    ],
    ['two IPv4 networks', { segment: segment({ cidrs: ['192.168.100.0/24', '192.168.101.0/24'] }) }, 'at most one CIDR of each IP family'],
    ['two IPv6 networks', { segment: segment({ cidrs: ['fd00:1::/64', 'fd00:2::/64'] }) }, 'at most one CIDR of each IP family'],
    [
      'three networks',
      { segment: segment({ cidrs: ['192.168.100.0/24', 'fd00:1::/64', 'fd00:2::/64'] }) },
      'spec.segment.cidrs: Too many: 3: must have at most 2 items',
    ],
    [
      'a router that is no address',
      { segment: segment({ router: 'gateway' }) },
      "must be an IP address, one of each family separated by a comma, or 'None'",
    ],
    [
      'three routers',
      { segment: segment({ router: '10.0.0.1,10.0.0.2,10.0.0.3' }) },
      "must be an IP address, one of each family separated by a comma, or 'None'",
    ],
    [
      'two routers of one family',
      { segment: segment({ router: '192.168.100.1,192.168.100.2' }) },
      "must be an IP address, one of each family separated by a comma, or 'None'",
    ],
    ['an MTU below that of IPv6', { segment: segment({ mtu: 576 }) }, 'spec.segment.mtu in body should be greater than or equal to 1280'],
    [
      'a pin that is no address',
      { segment: segment(), gateway: { addresses: { vip: 'api.example.com' } } },
      'must be an IP address, or one of each family separated by a comma',
    ],
    [
      'two pins of one family',
      { segment: segment(), gateway: { addresses: { vip: 'fd00::1,fd00::2' } } },
      'must be an IP address, or one of each family separated by a comma',
    ],
    [
      'one DHCP option twice',
      { segment: segment(), gateway: { dhcp: { options: [66, 66].map((code) => ({ code, data: 'a' })) } } },
      'spec.gateway.dhcp.options[1]: Duplicate value',
    ],
    [
      'a record name with a quote',
      { segment: segment(), gateway: { dns: { records: [{ name: 'a"b.example.com', type: 'A', value: '1.2.3.4' }] } } },
      'spec.gateway.dns.records[0].name in body should match',
    ],
    [
      'a port beyond the last',
      { segment: segment(), gateway: { ports: [{ port: 70_000, service: 'x', servicePort: 1 }] } },
      'spec.gateway.ports[0].port in body should be less than or equal to 65535',
    ],
    ['a text for a number', { segment: segment({ mtu: '1500' }) }, 'spec.segment.mtu in body must be of type integer: "string"'],
    ['an unknown field', { segment: segment({ vlan: 100 }) }, 'strict decoding error: unknown field "spec.segment.vlan"'],
  ])('%s', async (_, spec, message) => {
    const answer = await create(spec);
    expect({ accepted: answer.status < 400, message: answer.body.message }).toEqual({
      accepted: false,
      message: expect.stringContaining(message),
    });
  });
});

test('two networks that are none are told as such, and not as a failure of the rule about families', async () => {
  const { body } = await create({ segment: segment({ cidrs: ['here', 'there'] }) });
  expect(body.message?.match(/spec\.segment\.cidrs[^:]*: Invalid value: "[^"]*": [^,]*/g)).toEqual([
    expect.stringMatching(/^spec\.segment\.cidrs\[0\]: Invalid value: "here": must be a network in CIDR notation/),
    expect.stringMatching(/^spec\.segment\.cidrs\[1\]: Invalid value: "there": must be a network in CIDR notation/),
  ]);
});

describe('refused on change', () => {
  beforeAll(async () => {
    expect((await create({ hostedCluster: 'blue', segment: segment() }, 'blue', '')).status).toBe(201);
    expect((await create({ segment: segment() }, 'nameless', '')).status).toBe(201);
  });

  test.each([
    ['the mode', 'blue', { spec: { mode: 'LoadBalancer' } }, 'mode cannot be changed: delete this object and create a new one'],
    ['the HostedCluster', 'blue', { spec: { hostedCluster: 'green' } }, 'hostedCluster cannot be changed'],
    ['a HostedCluster that was only implied', 'nameless', { spec: { hostedCluster: 'green' } }, 'hostedCluster cannot be changed'],
    ['a HostedCluster that is taken away', 'blue', { spec: { hostedCluster: null } }, 'hostedCluster cannot be changed'],
    [
      'the attachment',
      'blue',
      { spec: { segment: { attachment: 'default/vlan200' } } },
      'segment.attachment cannot be changed: the VMs are on it',
    ],
  ])('%s', async (_, name, patch, message) => {
    const answer = await merge(name, patch);
    expect({ status: answer.status, message: answer.body.message }).toEqual({ status: 422, message: expect.stringContaining(message) });
  });

  test('everything else may change', async () => {
    expect(
      (await merge('blue', { spec: { segment: { mtu: 9000 }, gateway: { availability: 'Single' }, nodePools: 'Ignore' } })).status,
    ).toBe(200);
  });
});

describe('status', () => {
  const status: TenantNetworkStatus = {
    observedGeneration: 1,
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        observedGeneration: 1,
        lastTransitionTime: '2026-01-01T00:00:00Z',
        reason: 'SegmentProven',
        message: 'all endpoints answered from the segment',
      },
    ],
    vip: '192.168.100.3',
    workers: 2,
    addresses: {
      ipv4: { cidr: '192.168.100.0/24', router: '192.168.100.1', edgeA: '192.168.100.2', vip: '192.168.100.3', edgeB: '192.168.100.4' },
    },
    endpoints: [
      { service: 'APIServer', host: 'api.blue.example.com', port: 6443, upstream: 'clusters-blue/kube-apiserver:6443', ready: true },
    ],
    edges: [{ name: 'edge-a', addresses: ['192.168.100.2'], node: 'hub-a', ready: true, holdsVip: true, config: 'c0ffee' }],
    pool: { ranges: ['192.168.100.10-192.168.100.254'], size: 245, used: 2 },
    plan: 'c0ffee',
    findings: [
      { code: 'HCPIO-NP-003', severity: 'info', object: 'default/shown HostedCluster', message: 'no NodePool yet', fix: 'create one' },
    ],
    machines: [{ mac: '02:00:00:00:01:01', addresses: ['192.168.100.10'], machine: 'blue-1' }],
  };
  const statusPath = `${PATH}/shown/status?fieldValidation=Strict`;
  const write = (value: unknown) => call('PATCH', statusPath, { status: value }, 'application/merge-patch+json');

  beforeAll(async () => {
    expect((await create({ segment: segment() }, 'shown', '')).status).toBe(201);
  });

  test('it is written through its own door, kept whole, and shown by kubectl get tn', async () => {
    expect((await write(status)).body['status']).toEqual(status);
    const [head = '', row = ''] = (await hub.kubectl('get', 'tn', 'shown')).split('\n');
    expect(head.split(/\s+/)).toEqual(['NAME', 'MODE', 'VIP', 'WORKERS', 'READY', 'AGE']);
    expect(row.split(/\s+/).slice(0, 5)).toEqual(['shown', 'Gateway', '192.168.100.3', '2', 'True']);
  });

  test('a write to the object itself does not touch it', async () => {
    await write(status);
    const answer = await merge('shown', { status: { workers: 99 } });
    expect((answer.body['status'] as TenantNetworkStatus).workers).toBe(2);
  });

  test('one machine twice is refused', async () => {
    const answer = await write({ machines: [...(status.machines ?? []), ...(status.machines ?? [])] });
    expect({ status: answer.status, message: answer.body.message }).toEqual({
      status: 422,
      message: expect.stringContaining('status.machines[1]: Duplicate value'),
    });
  });

  test('a field that status does not have is refused', async () => {
    expect((await write({ healthy: true })).body.message).toContain('unknown field "status.healthy"');
  });
});

test('kubectl explain prints the descriptions of the schema', async () => {
  expect(await hub.kubectl('explain', 'tenantnetwork.spec.segment.attachment')).toContain(
    'The NetworkAttachmentDefinition that the worker VMs use, as namespace/name.',
  );
});
