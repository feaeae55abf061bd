import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dnsFiles } from '../../src/gateway/coredns.ts';
import { gatewayFiles } from '../../src/gateway/envoy.ts';
import { keaFiles } from '../../src/gateway/kea.ts';
import { proberGuardFiles } from '../../src/gateway/prober-guard.ts';
import { probeList } from '../../src/gateway/probes.ts';
import { segmentMac } from '../../src/gateway/segment-mac.ts';
import type { TenantPlan } from '../../src/gateway/tenant-plan.ts';
import { edgeOf } from '../../src/gateway/testing/sample-edges.ts';
import { single } from '../../src/gateway/testing/sample-plans.ts';
import { type Certificate, issue, type KeyPair } from '../../src/lab/pki/issue.ts';
import { type ProbeList, writeProbeList } from '../../src/probes/probe-list.ts';
import type { ProbeReport, ServedReport } from '../../src/probes/report.ts';
import { toolPath } from '../../tools/paths.ts';
import type { Daemon } from '../../tools/testing/daemon.ts';
import { GatewayProcess } from './gateway-process.ts';
import { eventually, type Host, Network } from './network.ts';

/**
 * The prober on a segment with a real Kea, CoreDNS and Envoy, and upstreams that speak TLS with the certificates of a control plane. It stands
 * behind its own guard throughout, so every probe that passes has passed the guard as well.
 */
const NODE = join(import.meta.dirname, '..', '..', 'node_modules', 'node', 'bin', 'node');
const PROBER = join(import.meta.dirname, '..', '..', 'src', 'prober', 'main.ts');
const POD_IP = '10.128.0.5';
const STRANGER = '02:66:66:66:66:66';
// The sample's option 6 names both edges, and this segment has one.
const plan: TenantPlan = single;
const edge = edgeOf(plan);

const network = new Network();
let edgeHost: Host;
let prober: Host;
let tenant: Host;
let hub: Host;
let rogue: Host;
let kea: Daemon;
let upstreams: Daemon;
const certificates = issued();

function issued(): ReadonlyMap<string, KeyPair> {
  const authority = (secret: string) => ({ secret, subject: { commonName: secret } });
  const leaf = (secret: string, issuer: string, name: string): Certificate => ({
    secret,
    subject: { commonName: secret },
    issuer,
    usages: ['server'],
    names: [name],
    addresses: [],
  });
  return issue(
    [authority('root-ca'), authority('konnectivity-ca'), authority('ignition-ca')],
    [
      leaf('api', 'root-ca', 'api.blue.example.com'),
      leaf('oauth', 'root-ca', 'oauth.blue.example.com'),
      leaf('konnectivity', 'konnectivity-ca', 'konnectivity.blue.example.com'),
      leaf('ignition', 'ignition-ca', 'ignition.blue.example.com'),
    ],
    new Date(),
  );
}
const certOf = (secret: string): string => certificates.get(secret)?.cert ?? '';
const list: ProbeList = probeList(plan, {
  root: certOf('root-ca'),
  konnectivity: certOf('konnectivity-ca'),
  ignition: certOf('ignition-ca'),
});

const started = (daemon: Daemon, text: string) =>
  daemon.until(async () => readFileSync(daemon.log, 'utf8').includes(text), AbortSignal.timeout(60_000));

async function startKea(host: Host, served: TenantPlan): Promise<Daemon> {
  host.configure(keaFiles(served, edgeOf(served)).filter(({ name }) => name === 'kea-dhcp4.json'));
  const places = ['KEA_CONTROL_SOCKET_DIR=/run/kea/ctl', 'KEA_LOCKFILE_DIR=/run/kea', 'KEA_PIDFILE_DIR=/run/kea'];
  const daemon = host.start('kea', host.edge('env', ...places, 'kea-dhcp4', '-c', '/mnt/dhcp/kea-dhcp4.json'));
  await started(daemon, 'DHCP4_STARTED');
  return daemon;
}

async function startUpstreams(): Promise<Daemon> {
  const pair = (secret: string) => certificates.get(secret);
  const file = join(hub.dir, 'upstreams.json');
  writeFileSync(
    file,
    JSON.stringify([
      { host: '172.30.10.1', port: 6443, ...pair('api') },
      { host: '172.30.10.2', port: 6443, ...pair('oauth') },
      { host: '10.128.0.21', port: 8091, ...pair('konnectivity') },
      { host: '10.128.1.22', port: 8091, ...pair('konnectivity') },
      { host: '172.30.10.4', port: 443, ...pair('ignition') },
    ]),
  );
  const daemon = hub.startProgram('tls-server.ts', file);
  await started(daemon, 'listening');
  return daemon;
}

beforeAll(async () => {
  [edgeHost, prober, tenant, hub, rogue] = (await Promise.all(
    ['edge-a', 'prober', 'tenant', 'hub', 'rogue'].map((name) => network.host(name)),
  )) as [Host, Host, Host, Host, Host];
  await network.segment(
    'segment',
    [edgeHost, prober, tenant, rogue].map((host) => [host, 'net1'] as const),
  );
  await network.segment(
    'pods',
    [edgeHost, prober, hub].map((host) => [host, 'eth0'] as const),
  );
  const add = (host: Host, device: string, ...addresses: readonly string[]) =>
    Promise.all(addresses.map((address) => host.run('ip', 'address', 'add', address, 'dev', device)));
  await edgeHost.run('ip', 'link', 'set', 'net1', 'address', segmentMac(plan, edge));
  await prober.run('ip', 'link', 'set', 'net1', 'address', segmentMac(plan, { name: 'prober' }));
  await add(edgeHost, 'net1', '192.168.100.2/24', '192.168.100.3/32');
  await add(edgeHost, 'eth0', '10.128.0.2/24');
  await add(prober, 'net1', '192.168.100.5/24');
  await add(prober, 'eth0', `${POD_IP}/24`);
  await add(tenant, 'net1', '192.168.100.50/24');
  await add(rogue, 'net1', '192.168.100.66/24');
  await add(hub, 'eth0', '10.128.0.21/24', '10.128.1.22/32', '172.30.10.1/32', '172.30.10.2/32', '172.30.10.4/32');
  for (const network_ of ['172.30.10.0/24', '10.128.1.0/24']) await edgeHost.run('ip', 'route', 'add', network_, 'dev', 'eth0');
  // Pods inherit it from their node, so the guard has to make up for it.
  await prober.run('sysctl', '-qw', 'net.ipv4.ip_forward=1');
  if (plan.prober) prober.configure(proberGuardFiles(plan.prober));
  await prober.run(...prober.edge('nft', '--file', '/mnt/guard/guard.nft'));

  upstreams = await startUpstreams();
  kea = await startKea(edgeHost, plan);
  edgeHost.configure(dnsFiles(plan, edge));
  const coredns = edgeHost.start('coredns', edgeHost.pod(toolPath('coredns'), '-conf', '/etc/hcpio/dns/Corefile'));
  await started(coredns, 'CoreDNS-1.14.');
  await new GatewayProcess(edgeHost, gatewayFiles(plan, edge)).ready();
});
afterAll(() => network[Symbol.asyncDispose]());

async function look(changed: ProbeList = list): Promise<ProbeReport> {
  const file = join(prober.dir, 'probes.json');
  writeFileSync(file, writeProbeList(changed));
  return JSON.parse(await prober.run(NODE, PROBER, 'once', file)) as ProbeReport;
}
const failures = ({ results }: ProbeReport) =>
  results.filter(({ verdict }) => verdict !== 'passed').map(({ group, subject, message }) => `${group} ${subject}: ${message}`);
const endpoint = (service: string, change: object): ProbeList => ({
  ...list,
  endpoints: list.endpoints.map((one) => (one.service === service ? { ...one, ...change } : one)),
});

test('a segment that does as planned passes every probe, and the edge that holds the VIP is known', async () => {
  const report = await look();
  expect(failures(report)).toEqual([]);
  expect(report.results.map(({ group, subject, message }) => `${group} ${subject}: ${message}`)).toEqual([
    'DHCP DISCOVER: edge-a (192.168.100.2) offers an address with 5 options as planned',
    'DHCP other servers: nobody else gives out addresses',
    "DNS edge-a 192.168.100.2 udp: 8 names and 2 zones as planned, and nothing of the hub's",
    "DNS edge-a 192.168.100.2 tcp: 8 names and 2 zones as planned, and nothing of the hub's",
    'TLS APIServer api.blue.example.com:6443: TLS with a certificate for api.blue.example.com, signed by ConfigMap clusters-blue/root-ca',
    'TLS OAuthServer oauth.blue.example.com:443: TLS with a certificate for oauth.blue.example.com, signed by ConfigMap clusters-blue/root-ca',
    'TLS Konnectivity konnectivity.blue.example.com:443: TLS with a certificate for konnectivity.blue.example.com, signed by ConfigMap clusters-blue/konnectivity-ca-bundle',
    'TLS Ignition ignition.blue.example.com:443: TLS with a certificate for ignition.blue.example.com, signed by Secret clusters-blue/ignition-server-ca-cert',
  ]);
  expect({ holder: report.holder, answered: report.answered, serials: report.serials }).toEqual({
    holder: 'edge-a',
    answered: ['APIServer', 'OAuthServer', 'Konnectivity', 'Ignition'],
    serials: list.dns.serials.map((served) => ({ edge: 'edge-a', ...served })),
  });
});

test('an offer is asked for and never taken: no lease is written', async () => {
  await look();
  const leases = await edgeHost.run(...edgeHost.edge('sh', '-c', 'cat /var/lib/kea/kea-dhcp4.leases.csv'));
  expect(leases.trim().split('\n').slice(1)).toEqual([]);
});

test('a certificate of another authority, or for another name, is told', async () => {
  expect(failures(await look(endpoint('Ignition', { ca: certOf('root-ca') })))).toEqual([
    expect.stringMatching(/^TLS Ignition .* that Secret clusters-blue\/ignition-server-ca-cert does not vouch for \(\w+\)$/),
  ]);
  expect(failures(await look(endpoint('APIServer', { host: 'api-int.blue.example.com' })))).toEqual([
    'TLS APIServer api-int.blue.example.com:6443: the certificate is for DNS:api.blue.example.com, and not for api-int.blue.example.com',
  ]);
  expect(failures(await look(endpoint('Konnectivity', { ca: null })))).toEqual([expect.stringContaining('is not known yet')]);
});

test('names that lead elsewhere, and a zone that is older than the plan, are told for UDP and for TCP', async () => {
  const dns = {
    ...list.dns,
    questions: list.dns.questions.map((one) => (one.name === 'api.blue.example.com' ? { ...one, addresses: ['192.168.100.9'] } : one)),
    serials: list.dns.serials.map((one) => (one.zone === 'blue.example.com' ? { ...one, serial: 7 } : one)),
  };
  const served = list.dns.serials.find(({ zone }) => zone === 'blue.example.com')?.serial;
  const told = `api.blue.example.com leads to 192.168.100.3 instead of 192.168.100.9; zone blue.example.com is served with serial ${served} instead of 7`;
  expect(failures(await look({ ...list, dns }))).toEqual([
    `DNS edge-a 192.168.100.2 udp: ${told}`,
    `DNS edge-a 192.168.100.2 tcp: ${told}`,
  ]);
});

test('a second DHCP server is found, although the first one answers as well', async () => {
  const address = '192.168.100.66';
  const other: TenantPlan = {
    ...plan,
    tenant: 'clusters/rogue',
    edges: plan.edges.map((edge) => ({ ...edge, addresses: { ipv4: address } })),
    dhcp: { ...plan.dhcp, serve: 'Anyone', reservations: [] },
  };
  const { prober: _, ...open } = other;
  const second = await startKea(rogue, open);
  await rogue.run('ip', 'link', 'set', 'net1', 'address', STRANGER);
  const report = await look();
  expect(report.rogueServers).toEqual([`${address} (${STRANGER})`]);
  expect(failures(report)).toEqual([`DHCP other servers: ${address} (${STRANGER}) gives out addresses as well`]);
  await second.kill();
  expect(failures(await look())).toEqual([]);
});

test('a machine that answers for the VIP is told by its MAC, and no edge is said to hold it', async () => {
  await rogue.run('ip', 'link', 'set', 'net1', 'address', STRANGER);
  await rogue.run('ip', 'address', 'add', '192.168.100.3/32', 'dev', 'net1');
  // It says so aloud, as a machine does that is given an address: now the prober believes it.
  const announce = () =>
    rogue.run(...rogue.edge('arping', '-U', '-c', '1', '-w', '1', '-I', 'net1', '-s', '192.168.100.3', '192.168.100.3'));
  const report = await eventually(
    async () => {
      await announce();
      return look();
    },
    ({ results }) => results.some(({ group }) => group === 'VIP'),
  );
  expect(failures(report)[0]).toBe(`VIP 192.168.100.3: ${STRANGER} answers for it, and that is neither of the edges`);
  expect(report.holder).toBeUndefined();
  await rogue.run('ip', 'address', 'delete', '192.168.100.3/32', 'dev', 'net1');
  expect(await eventually(look, ({ results }) => results.every(({ verdict }) => verdict === 'passed'))).toMatchObject({ holder: 'edge-a' });
});

test('from the segment the prober is no door: not to its report, not to the hub behind it', async () => {
  const daemon = prober.start('prober', ['env', `POD_IP=${POD_IP}`, NODE, PROBER, 'serve', join(prober.dir, 'probes.json')]);
  const ask = async () =>
    JSON.parse(await hub.run('curl', '-sf', '-m', '2', `http://${POD_IP}:8068/report`).catch(() => '{}')) as Partial<ServedReport>;
  const served = await eventually(ask, ({ results }) => results !== undefined);
  expect([served.list?.length, (served.ageMilliseconds ?? -1) >= 0]).toEqual([32, true]);
  await tenant.run('ip', 'route', 'add', '10.128.0.0/24', 'via', '192.168.100.5');
  await hub.run('ip', 'route', 'add', '192.168.100.0/24', 'via', POD_IP);
  expect(await tenant.dial('192.168.100.5:8068', `${POD_IP}:8068`, '10.128.0.21:8091')).toEqual({
    '192.168.100.5:8068': 'silence',
    [`${POD_IP}:8068`]: 'silence',
    '10.128.0.21:8091': 'silence',
  });
  // What would happen without the guard: the test above can fail.
  await prober.run(...prober.edge('nft', 'flush', 'ruleset'));
  expect(await tenant.dial(`${POD_IP}:8068`, '10.128.0.21:8091')).toEqual({ [`${POD_IP}:8068`]: 'open', '10.128.0.21:8091': 'open' });
  await prober.run(...prober.edge('nft', '--file', '/mnt/guard/guard.nft'));
  await daemon.kill();
});

test('the list is read again when it changes, and looked at at once', async () => {
  const file = join(prober.dir, 'probes.json');
  writeFileSync(file, writeProbeList(list));
  const daemon = prober.start('prober', ['env', `POD_IP=${POD_IP}`, NODE, PROBER, 'serve', file]);
  const ask = async () =>
    JSON.parse(await hub.run('curl', '-sf', '-m', '2', `http://${POD_IP}:8068/report`).catch(() => '{}')) as Partial<ServedReport>;
  const first = await eventually(ask, ({ results }) => results !== undefined);
  writeFileSync(file, writeProbeList(endpoint('Ignition', { ca: null })));
  const second = await eventually(ask, (report) => report.list !== undefined && report.list !== first.list);
  expect(failures(second as ProbeReport)).toEqual([expect.stringContaining('is not known yet')]);
  await daemon.kill();
});

test('what does not answer is told: the upstreams, then DHCP', async () => {
  await upstreams.kill();
  expect(failures(await look()).map((line) => line.split(': ')[0])).toEqual([
    'TLS APIServer api.blue.example.com:6443',
    'TLS OAuthServer oauth.blue.example.com:443',
    'TLS Konnectivity konnectivity.blue.example.com:443',
    'TLS Ignition ignition.blue.example.com:443',
  ]);
  await kea.kill();
  expect(failures(await look())[0]).toBe('DHCP DISCOVER: neither of 192.168.100.2 offers an address');
});
