import { afterAll, beforeAll, test } from 'vitest';
import { gatewayFiles } from '../../src/gateway/envoy.ts';
import type { ConfigFile } from '../../src/gateway/rendered.ts';
import { blue } from '../../src/gateway/testing/sample-plans.ts';
import { EdgePod } from './edge-pod.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { eventually, Network } from './network.ts';

/** The readiness probes as they are rendered, against the real daemons: each has to notice that its daemon would not take a file. */
const network = new Network();
let edge: EdgePod;
let gateway: GatewayProcess;

beforeAll(async () => {
  [edge] = (await EdgePod.pair(network, blue)).edges;
  await edge.guard();
  edge.start('dhcp');
  edge.startDns();
  edge.start('vip');
  gateway = edge.startGateway();
});
afterAll(() => network[Symbol.asyncDispose]());

const CONTAINERS = ['dhcp', 'dns', 'gateway', 'vip'] as const;
type Probed = (typeof CONTAINERS)[number];

const says = (container: Probed, pattern: RegExp) =>
  eventually(
    () => edge.probe(container),
    (said) => pattern.test(said),
  );
const ready = (container: Probed) => says(container, /^$/);
const configure = (container: Probed, files: readonly ConfigFile[]) =>
  container === 'gateway' ? gateway.configure(files) : edge.configure(container, files);
const changed = (container: Probed, name: string, edit: (content: string) => string) =>
  edge.files(container).map((file) => (file.name === name ? { ...file, content: edit(file.content) } : file));

test('every container is ready with what was rendered', async () => {
  for (const container of CONTAINERS) await ready(container);
});

const versionOf = (files: readonly ConfigFile[]) =>
  /"version_info": "(\w+)"/.exec(files.find(({ name }) => name === 'lds.json')?.content ?? '')?.[1] ?? 'none';

const NEXT_SERIAL = (content: string) =>
  content.replace(/(SOA \S+ \S+ )(\d+)/, (_, head: string, serial) => `${head}${Number(serial) + 1}`);

test.each<[Probed, string, (content: string) => string, RegExp]>([
  [
    'dhcp',
    'kea-dhcp4.json',
    (content) => content.replace('"code": 15', '"code": 999'),
    /^kea-dhcp4\.json was refused: .*option code '?999/,
  ],
  [
    'vip',
    'keepalived.conf',
    (content) => content.replace('virtual_router_id 77', 'virtual_router_id 777'),
    /^keepalived\.conf was refused: .*777/,
  ],
  [
    'dns',
    'Corefile',
    (content) => content.replace('bufsize 1232', 'bufsize wrong').replace(/chaos \S+/, 'chaos 0123456789abcdef'),
    /^Corefile was refused: CoreDNS goes on with [0-9a-f]{16} instead of 0123456789abcdef$/,
  ],
  [
    'dns',
    'db.blue.example.com',
    (content) => `${NEXT_SERIAL(content)}bad.blue.example.com. 60 IN A not-an-address\n`,
    /^db\.blue\.example\.com was refused: CoreDNS serves serial \d+ instead of \d+$/,
  ],
  [
    'gateway',
    'lds.json',
    (content) => content.replace('"freebind": true', '"freebind": "maybe"').replace(/"version_info": "\w+"/, '"version_info": "bad1"'),
    /^lds\.json was refused: Envoy goes on with the one before$/,
  ],
  [
    'gateway',
    'cds.json',
    (content) =>
      content.replace('"connect_timeout": "5s"', '"connect_timeout": "soon"').replace(/"version_info": "\w+"/, '"version_info": "bad2"'),
    /^cds\.json was refused: Envoy goes on with the one before$/,
  ],
])('%s: %s that is refused is named by the probe, and a good one is ready again', async (container, name, spoil, said) => {
  await ready(container);
  configure(container, changed(container, name, spoil));
  await says(container, said);
  configure(container, edge.files(container));
  await ready(container);
});

test('a gateway is ready also while nothing is published yet', async () => {
  const nothing = gatewayFiles({ ...blue, listeners: [], upstreams: [] }, edge.edge);
  gateway.configure(nothing);
  await eventually(
    () => gateway.admin('/stats?type=TextReadouts&filter=lds.version_text'),
    ({ body }) => body.includes(versionOf(nothing)),
  );
  await ready('gateway');
  gateway.configure(edge.files('gateway'));
  await ready('gateway');
});

test('rules of the guard that are refused are named by the container that loads them', async () => {
  const rules = edge.files('guard');
  edge.configure(
    'guard',
    rules.map((file) => ({ ...file, content: `${file.content}\nno such statement\n` })),
  );
  await says('vip', /^guard\.nft was refused: .*syntax error/);
  edge.configure('guard', rules);
  await ready('vip');
});
