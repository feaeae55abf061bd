import { expect, test } from 'vitest';
import { attempt } from '../api/finding.ts';
import { type AttachmentInput, deriveAttachments, networks } from './attachments.ts';
import { bridgeConfig, cnvBridgeConfig, localnetConfig, macvlanConfig, vmNad } from './testing/sample-nads.ts';
import { allRoutes, blue, dualStack, single } from './testing/sample-plans.ts';

const derive = (config: unknown, plan: AttachmentInput = blue) => deriveAttachments(plan, [vmNad(config)]);
const configs = (config: unknown, plan: AttachmentInput = blue): unknown[] =>
  derive(config, plan).nads.map((nad) => JSON.parse((nad['spec'] as { config: string }).config));
const refusal = (config: unknown) => attempt(() => derive(config)).findings[0];

const table100 = [
  { dst: '192.168.100.0/24', table: 100, scope: 253 },
  { dst: '0.0.0.0/0', gw: '192.168.100.1', table: 100 },
];
const sbr = { type: 'sbr', table: 100 };
/** The prober has its address and nothing else: it asks its neighbours only. */
const proberOnBridge = bridged('prober', { addresses: [{ address: '192.168.100.5/24' }] });
const onBridge = (address: string) =>
  bridged(address === '192.168.100.2/24' ? 'edge-a' : 'edge-b', { addresses: [{ address }], routes: table100 }, sbr);

function bridged(name: string, addressing: object, ...chained: readonly object[]) {
  const leg = { type: 'bridge', bridge: 'br100', macspoofchk: true, capabilities: { mac: true }, mtu: 1500 };
  return { cniVersion: '0.3.1', name, plugins: [{ ...leg, ipam: { type: 'static', ...addressing } }, ...chained] };
}

test('mistake 4: each edge gets an attachment of its own with its own static address, and the VMs keep theirs without IPAM', () => {
  const { nads, findings } = derive(bridgeConfig);
  expect(nads.map((nad) => `${nad.metadata.namespace}/${nad.metadata.name}`)).toEqual([
    'clusters-blue-edge/edge-a',
    'clusters-blue-edge/edge-b',
    'clusters-blue-edge/prober',
  ]);
  expect(configs(bridgeConfig)).toEqual([onBridge('192.168.100.2/24'), onBridge('192.168.100.4/24'), proberOnBridge]);
  expect(findings).toEqual([]);
});

test('a single edge has a single attachment, and so has the prober', () => {
  expect(configs(bridgeConfig, single)).toEqual([onBridge('192.168.100.2/24'), proberOnBridge]);
});

test('a conflist is its first plugin: what is chained to it is about the VMs', () => {
  expect(configs({ cniVersion: '0.4.0', name: 'vlan100', plugins: [bridgeConfig, { type: 'tuning', sysctl: {} }] })).toEqual(
    configs(bridgeConfig),
  );
});

test('cnv-bridge keeps its name, bridge and VLAN, and loses what would leave the edge without an interface', () => {
  const [first] = configs(cnvBridgeConfig) as [{ plugins: unknown[] }];
  expect(first.plugins[0]).toEqual({
    type: 'cnv-bridge',
    bridge: 'br-tenants',
    vlan: 100,
    preserveDefaultVlan: false,
    macspoofchk: true,
    capabilities: { mac: true },
    mtu: 1500,
    ipam: { type: 'static', addresses: [{ address: '192.168.100.2/24' }], routes: table100 },
  });
});

test('an edge on an isolated port would hear nobody, so port isolation is not copied', () => {
  expect(configs({ ...bridgeConfig, portIsolation: true, isGateway: true, ipMasq: true })).toEqual(configs(bridgeConfig));
});

test('macvlan keeps master and mode, and has no check against spoofing', () => {
  const [first] = configs(macvlanConfig) as [{ plugins: unknown[] }];
  expect(first.plugins[0]).toEqual({
    type: 'macvlan',
    master: 'ens4.100',
    mode: 'bridge',
    capabilities: { mac: true },
    mtu: 1500,
    ipam: { type: 'static', addresses: [{ address: '192.168.100.2/24' }], routes: table100 },
  });
  expect(derive(macvlanConfig).findings.map((f) => f.code)).toEqual(['HCPIO-ATT-007']);
});

test("a localnet is the VMs' own network under another attachment, with a MAC and no address: OVN would drop the VIP otherwise", () => {
  expect(configs(localnetConfig)).toEqual(
    ['edge-a', 'edge-b', 'prober'].map((edge) => ({
      cniVersion: '0.3.1',
      name: 'tenant-blue',
      type: 'ovn-k8s-cni-overlay',
      topology: 'localnet',
      physicalNetworkName: 'physnet',
      vlanID: 100,
      mtu: 1500,
      netAttachDefName: `clusters-blue-edge/${edge}`,
    })),
  );
  expect(derive(localnetConfig).findings).toEqual([]);
});

test('both families share one table, and duplicate addresses are looked for in both', () => {
  const [first] = configs(bridgeConfig, dualStack) as [{ plugins: unknown[] }];
  expect(first.plugins).toEqual([
    {
      type: 'bridge',
      bridge: 'br100',
      macspoofchk: true,
      capabilities: { mac: true },
      mtu: 9000,
      enabledad: true,
      ipam: {
        type: 'static',
        addresses: [{ address: '192.168.100.2/24' }, { address: 'fd00:100::2/64' }],
        routes: [...table100, { dst: 'fd00:100::/64', table: 100, scope: 253 }, { dst: '::/0', gw: 'fd00:100::1', table: 100 }],
      },
    },
    sbr,
  ]);
});

test('without a router there is no route and no source routing: everybody is a neighbour', () => {
  const [first] = configs(bridgeConfig, allRoutes) as [{ plugins: unknown[] }];
  expect(first.plugins).toEqual([
    {
      type: 'bridge',
      bridge: 'br100',
      macspoofchk: true,
      capabilities: { mac: true },
      mtu: 1500,
      ipam: { type: 'static', addresses: [{ address: '192.168.100.1/24' }] },
    },
  ]);
});

test.each([bridgeConfig, cnvBridgeConfig, macvlanConfig, localnetConfig])(
  'no default route is ever put into the main table ($type)',
  (config) => {
    for (const plan of [blue, single, dualStack, allRoutes]) {
      const plugins = configs(config, plan).flatMap(
        (conf) => (conf as { plugins?: { ipam?: { routes?: { table?: number }[] } }[] }).plugins ?? [],
      );
      expect(plugins.flatMap((plugin) => plugin.ipam?.routes ?? []).filter((route) => route.table !== 100)).toEqual([]);
    }
  },
);

test("the smaller of the segment's and the attachment's MTU counts", () => {
  const mtu = (config: unknown) => (configs(config, dualStack) as [{ plugins: [{ mtu: number }] }])[0].plugins[0].mtu;
  expect([
    mtu(bridgeConfig),
    mtu({ ...bridgeConfig, mtu: 1450 }),
    mtu({ ...bridgeConfig, mtu: 9216 }),
    mtu({ ...bridgeConfig, mtu: 0 }),
  ]).toEqual([9000, 1450, 9000, 9000]);
});

test('the resource that marks nodes with the segment is passed on to the edges', () => {
  const annotations = { 'k8s.v1.cni.cncf.io/resourceName': 'bridge.network.kubevirt.io/br100' };
  expect(deriveAttachments(blue, [vmNad(bridgeConfig, { annotations })]).resource).toBe('bridge.network.kubevirt.io/br100');
});

test('a pod asks for its attachment under the name net1, with a MAC that it always has', () => {
  expect(blue.edges.map((edge) => JSON.parse(networks(blue, edge)) as unknown)).toEqual([
    [{ name: 'edge-a', namespace: 'clusters-blue-edge', interface: 'net1', mac: '02:69:86:4e:d8:94' }],
    [{ name: 'edge-b', namespace: 'clusters-blue-edge', interface: 'net1', mac: expect.stringMatching(/^02(:[0-9a-f]{2}){5}$/) }],
  ]);
});

test('ATT-001: an attachment that does not exist', () => {
  expect(attempt(() => deriveAttachments(blue, [vmNad(bridgeConfig, { name: 'vlan200' })])).findings).toEqual([
    {
      code: 'HCPIO-ATT-001',
      severity: 'error',
      object: 'clusters/blue TenantNetwork',
      path: 'spec.segment.attachment',
      message: 'there is no NetworkAttachmentDefinition default/vlan100',
      fix: 'create it, or name one of those that exist: kubectl get network-attachment-definitions -A',
    },
  ]);
});

test('ATT-002: IPAM on the attachment of the VMs', () => {
  expect(derive({ ...bridgeConfig, ipam: { type: 'whereabouts' } }).findings).toEqual([
    {
      code: 'HCPIO-ATT-002',
      severity: 'error',
      object: 'default/vlan100 NetworkAttachmentDefinition',
      path: 'spec.config',
      message:
        'its IPAM plugin whereabouts gives every VM pod an address, which KubeVirt then hands to the VM in place of the lease that hcpio planned',
      fix: 'remove ipam from its spec.config',
    },
  ]);
});

test.each([
  ['', 'spec.config is not valid JSON: Unexpected end of JSON input'],
  ['{"type":', 'spec.config is not valid JSON: Unexpected end of JSON input'],
  ['{"type": bri\n\u001b', "spec.config is not valid JSON: Unexpected token 'b'"],
  ['\u001b[31m', "spec.config is not valid JSON: Unexpected token '\ufffd'"],
  ['[]', 'spec.config is not what a CNI configuration has there'],
  [{ ...bridgeConfig, bridge: 5 }, 'bridge in spec.config is not what a CNI configuration has there'],
  [{ ...bridgeConfig, bridge: 'br100; reboot' }, 'bridge in spec.config is not what a CNI configuration has there'],
  [{ ...bridgeConfig, vlan: 4095 }, 'vlan in spec.config is not what a CNI configuration has there'],
])('ATT-003: a configuration that cannot be read (%j)', (config, message) => {
  expect(refusal(config)).toMatchObject({
    code: 'HCPIO-ATT-003',
    object: 'default/vlan100 NetworkAttachmentDefinition',
    message: expect.stringContaining(message),
  });
});

test.each([
  [{ type: 'sriov' }, 'its CNI plugin is sriov, and an edge knows how to join bridge, cnv-bridge, macvlan and OVN localnet networks'],
  [{ ...macvlanConfig, mode: 'private' }, 'its macvlan mode is private, in which an edge and the VMs do not hear each other'],
  [
    { ...bridgeConfig, vlanTrunk: [{ minID: 100, maxID: 200 }] },
    'it is a trunk of several VLANs, and which of them is the segment is written nowhere',
  ],
  [{ ...localnetConfig, topology: 'layer3' }, 'its OVN topology is layer3'],
])('ATT-004: a network that an edge cannot join (%j)', (config, message) => {
  expect(refusal(config)).toMatchObject({ code: 'HCPIO-ATT-004', message });
});

test('ATT-004: an attachment that a user-defined network owns', () => {
  const ownerReferences = [{ kind: 'ClusterUserDefinedNetwork', name: 'blue' }];
  expect(attempt(() => deriveAttachments(blue, [vmNad(localnetConfig, { ownerReferences })])).findings[0]?.code).toBe('HCPIO-ATT-004');
});

test.each(['vlan100', 'default/', '/vlan100', 'a/b/c'])('ATT-005: %s is not namespace/name', (attachment) => {
  expect(attempt(() => deriveAttachments({ ...blue, segment: { ...blue.segment, attachment } }, [])).findings[0]?.code).toBe(
    'HCPIO-ATT-005',
  );
});

test('ATT-006: an OVN network that assigns addresses', () => {
  expect(refusal({ ...localnetConfig, subnets: '192.168.100.0/24' })).toMatchObject({
    code: 'HCPIO-ATT-006',
    message: 'OVN assigns addresses of 192.168.100.0/24 on it, and its port security then drops an address that moves, such as the VIP',
  });
});

test('ATT-007: a bridge on which MACs are not checked', () => {
  expect(derive({ ...bridgeConfig, macspoofchk: false }).findings.map((f) => [f.code, f.fix])).toEqual([
    ['HCPIO-ATT-007', 'set "macspoofchk": true in its spec.config'],
  ]);
});

test('ATT-008: an attachment in a namespace from which the VMs cannot take it', () => {
  const from = (namespace: string) =>
    deriveAttachments({ ...blue, segment: { ...blue.segment, attachment: `${namespace}/vlan100` } }, [
      vmNad(bridgeConfig, { namespace }),
    ]).findings.map((f) => f.code);
  expect(['default', 'openshift-cnv', 'clusters-blue', 'networks'].map(from)).toEqual([[], [], [], ['HCPIO-ATT-008']]);
});
