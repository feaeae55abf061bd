import { expect, test } from 'vitest';
import { type HubObjects, readHub } from './hub.ts';
import { hubDns, hubIngress, hubNetwork, hubProxy, node, serviceCidr } from './objects.ts';

const cluster = { name: 'cluster' };
const nothing: HubObjects = { networks: [], ingresses: [], dnses: [], proxies: [], nodes: [], serviceCidrs: [] };
const nodes = [
  node.parse({
    kind: 'Node',
    metadata: { name: 'b' },
    spec: { podCIDRs: ['10.244.1.0/24', 'fd01:0:0:2::/64'] },
    status: {
      addresses: [
        { type: 'Hostname', address: '10.9.9.9' },
        { type: 'InternalIP', address: '192.168.10.12' },
      ],
    },
  }),
  node.parse({
    kind: 'Node',
    metadata: { name: 'a' },
    spec: { podCIDRs: ['10.244.0.0/24'] },
    status: {
      addresses: [
        { type: 'InternalIP', address: '192.168.10.2' },
        { type: 'ExternalIP', address: 'FD00:10::2' },
        { type: 'InternalIP', address: 'a.local' },
      ],
    },
  }),
];

test('on OpenShift the status of the Network counts, and the spec before there is one', () => {
  const networks = (status: unknown) => [
    hubNetwork.parse({ kind: 'Network', metadata: { name: 'other' }, spec: { serviceNetwork: ['1.1.0.0/16'] } }),
    hubNetwork.parse({
      kind: 'Network',
      metadata: cluster,
      spec: { clusterNetwork: [{ cidr: '10.128.0.0/14' }], serviceNetwork: ['172.30.0.0/16'] },
      status,
    }),
  ];
  const hub: HubObjects = {
    ...nothing,
    nodes,
    ingresses: [hubIngress.parse({ kind: 'Ingress', metadata: cluster, spec: { domain: 'apps.mgmt.example.com' } })],
    dnses: [hubDns.parse({ kind: 'DNS', metadata: cluster, spec: { baseDomain: 'mgmt.example.com' } })],
    proxies: [hubProxy.parse({ kind: 'Proxy', metadata: cluster, status: { httpsProxy: 'http://proxy:3128', noProxy: '.svc' } })],
  };
  const common = {
    nodeAddresses: ['192.168.10.2', '192.168.10.12', 'fd00:10::2'],
    ingressDomain: 'apps.mgmt.example.com',
    baseDomain: 'mgmt.example.com',
    proxy: { httpsProxy: 'http://proxy:3128', noProxy: '.svc' },
  };
  expect(
    readHub({ ...hub, networks: networks({ clusterNetwork: [{ cidr: '10.132.0.0/14' }], serviceNetwork: ['172.31.0.0/16'] }) }),
  ).toEqual({
    ...common,
    clusterNetworks: ['10.132.0.0/14'],
    serviceNetworks: ['172.31.0.0/16'],
  });
  expect(readHub({ ...hub, networks: networks({}) })).toEqual({
    ...common,
    clusterNetworks: ['10.128.0.0/14'],
    serviceNetworks: ['172.30.0.0/16'],
  });
});

test('a plain hub shows its networks by Nodes and ServiceCIDRs, in whatever order they come', () => {
  const serviceCidrs = [serviceCidr.parse({ kind: 'ServiceCIDR', metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.96.0.0/16'] } })];
  const expected = {
    clusterNetworks: ['10.244.0.0/24', '10.244.1.0/24', 'fd01:0:0:2::/64'],
    serviceNetworks: ['10.96.0.0/16'],
    nodeAddresses: ['192.168.10.2', '192.168.10.12', 'fd00:10::2'],
    ingressDomain: '',
    baseDomain: '',
    proxy: undefined,
  };
  expect(readHub({ ...nothing, nodes, serviceCidrs })).toEqual(expected);
  expect(readHub({ ...nothing, nodes: nodes.toReversed(), serviceCidrs })).toEqual(expected);
});

test('a Proxy object without a proxy is no proxy', () => {
  const proxies = [hubProxy.parse({ kind: 'Proxy', metadata: cluster, status: { noProxy: '.svc' } })];
  expect(readHub({ ...nothing, proxies }).proxy).toBeUndefined();
});
