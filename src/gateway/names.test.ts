import { expect, test } from 'vitest';
import { type NamesInput, planNames } from './names.ts';
import { single } from './testing/sample-plans.ts';

const input: NamesInput = {
  addresses: { ipv4: { cidr: '192.168.100.0/24', edgeA: '192.168.100.2', vip: '192.168.100.3', pool: [] } },
  edges: single.edges,
  endpoints: [
    {
      service: 'APIServer',
      strategy: 'LoadBalancer',
      host: 'api.blue.example.com',
      port: 6443,
      upstream: 'clusters-blue/kube-apiserver:6443',
    },
  ],
  reservations: [{ machine: 'blue-1', mac: '02:00:00:00:00:01', addresses: { ipv4: '192.168.100.10' } }],
  domains: { cluster: 'blue.example.com', apps: 'apps.blue.example.com' },
  settings: { apps: 'Gateway', dns: { upstreams: [], records: [] } },
};

test('published names point at the VIP, hosts at themselves, and every host can be looked up backwards', () => {
  expect(planNames(input)).toEqual([
    { name: 'api.blue.example.com', type: 'A', address: '192.168.100.3' },
    { name: 'api-int.blue.example.com', type: 'A', address: '192.168.100.3' },
    { name: '*.apps.blue.example.com', type: 'A', address: '192.168.100.3' },
    { name: 'edge-a.blue.example.com', type: 'A', address: '192.168.100.2' },
    { name: 'blue-1.blue.example.com', type: 'A', address: '192.168.100.10' },
    { name: '3.100.168.192.in-addr.arpa', type: 'PTR', target: 'api.blue.example.com' },
    { name: '2.100.168.192.in-addr.arpa', type: 'PTR', target: 'edge-a.blue.example.com' },
    { name: '10.100.168.192.in-addr.arpa', type: 'PTR', target: 'blue-1.blue.example.com' },
  ]);
});

test('a service published on an address needs no name', () => {
  const names = planNames({
    ...input,
    endpoints: [
      {
        service: 'Ignition',
        strategy: 'NodePort',
        host: '192.168.100.3',
        port: 30646,
        upstream: 'clusters-blue/ignition-server-proxy:443',
      },
    ],
  });
  expect(names.map((n) => n.name)).not.toContain('192.168.100.3');
});

test('apps point at the workers, or nowhere, when asked to', () => {
  const apps = (where: NamesInput['settings']['apps']) =>
    planNames({ ...input, settings: { ...input.settings, apps: where } }).filter((n) => n.name.startsWith('*.'));
  expect(apps('Workers')).toEqual([{ name: '*.apps.blue.example.com', type: 'A', address: '192.168.100.10' }]);
  expect(apps('Nobody')).toEqual([]);
});

test('extra records are served as they are, and a value that does not fit its type is left to the check', () => {
  const records = [
    { name: 'registry.corp.example.com', type: 'A', value: '192.168.100.9' },
    { name: 'r.blue.example.com', type: 'CNAME', value: 'registry.corp.example.com' },
    { name: 'x.blue.example.com', type: 'A', value: 'no address' },
  ] as const;
  const added = planNames({ ...input, settings: { ...input.settings, dns: { upstreams: [], records: [...records] } } }).filter((n) =>
    /^(registry|r|x)\./.test(n.name),
  );
  expect(added).toEqual([
    { name: 'registry.corp.example.com', type: 'A', address: '192.168.100.9' },
    { name: 'r.blue.example.com', type: 'CNAME', target: 'registry.corp.example.com' },
  ]);
});
