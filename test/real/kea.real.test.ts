import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { keaFiles } from '../../src/gateway/kea.ts';
import { optionData } from '../../src/gateway/kea-options.ts';
import type { ConfigFile } from '../../src/gateway/rendered.ts';
import type { EdgePlan, TenantPlan } from '../../src/gateway/tenant-plan.ts';
import { edgeOf, sampleEdges } from '../../src/gateway/testing/sample-edges.ts';
import { allRoutes, blue, single } from '../../src/gateway/testing/sample-plans.ts';
import type { Daemon } from '../../tools/testing/daemon.ts';
import { eventually, type Host, Network } from './network.ts';
import type { Lease } from './programs/dhcp-client.ts';

/** Our configurations in the Kea of the edge's Debian: its own verdict about each of them, and then real leases. */
async function edgeHost(network: Network, { name, addresses, peer }: EdgePlan): Promise<Host> {
  const host = await network.host(name);
  await host.run('ip', 'link', 'add', 'net1', 'type', 'veth', 'peer', 'name', 'unplugged');
  await host.run('ip', 'link', 'set', 'net1', 'up');
  await host.run('ip', 'link', 'set', 'unplugged', 'up');
  await address(host, addresses);
  await host.run('ip', 'address', 'add', `${peer.address}/32`, 'dev', 'lo');
  return host;
}

async function address(host: Host, { ipv4, ipv6 }: EdgePlan['addresses']): Promise<void> {
  if (ipv4 !== undefined) await host.run('ip', 'address', 'add', `${ipv4}/24`, 'dev', 'net1');
  if (ipv6 !== undefined) await host.run('ip', 'address', 'add', `${ipv6}/64`, 'dev', 'net1', 'nodad');
}

const daemonOf = (file: ConfigFile): string => file.name.replace('.json', '');

/** Nothing when Kea accepts the file, else what it says. */
async function complaint(host: Host, file: ConfigFile): Promise<string | undefined> {
  host.configure([file]);
  try {
    await host.run(...host.edge('env', 'KEA_CONTROL_SOCKET_DIR=/run/kea/ctl', daemonOf(file), '-t', `/mnt/dhcp/${file.name}`));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

test.each(sampleEdges)('$sample, $edge.name: Kea accepts every file', async ({ plan, edge }) => {
  await using network = new Network();
  const host = await edgeHost(network, edge);
  const files = keaFiles(plan, edge);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) expect(await complaint(host, file)).toBeUndefined();
});

describe('Kea says so when it is given something wrong', () => {
  const spoiled = async (spoil: (content: string) => string): Promise<string | undefined> => {
    await using network = new Network();
    const [file] = keaFiles(blue, edgeOf(blue));
    if (file === undefined) throw new Error('blue is served');
    return await complaint(await edgeHost(network, edgeOf(blue)), { ...file, content: spoil(file.content) });
  };

  test('a pool outside the segment', async () => {
    expect(await spoiled((content) => content.replace('192.168.100.254', '192.168.101.254'))).toContain('a pool of type V4');
  });

  test('an address that net1 does not have', async () => {
    expect(await spoiled((content) => content.replace('net1/192.168.100.2', 'net1/192.168.100.9'))).toContain(
      "doesn't have address '192.168.100.9'",
    );
  });

  test('a key that it does not know', async () => {
    expect(await spoiled((content) => content.replace('"match-client-id"', '"match-clients"'))).toContain('match-clients');
  });
});

test('an option of any number can be given as a text or as bytes, whether Kea knows it or not', async () => {
  await using network = new Network();
  const host = await edgeHost(network, edgeOf(single));
  const codes = Array.from({ length: 254 }, (_, i) => i + 1);
  const complaintAbout = async (chosen: readonly number[], data: string): Promise<string> => {
    const options = chosen.map((code) => ({ code, name: `option-${code}`, data }));
    const [file] = keaFiles({ ...single, dhcp: { ...single.dhcp, options } }, edgeOf(single));
    return file === undefined ? 'no file' : ((await complaint(host, file)) ?? '');
  };
  const unknown = codes.filter((code) => !optionData({ code, name: '', data: 'x' })['csv-format']);
  expect(unknown.length).toBeGreaterThan(100);
  expect(await complaintAbout(unknown, 'some text, with a comma')).toBe('');
  expect(await complaintAbout(unknown, '0x0102')).toBe('');
  // All others are known to Kea: it may complain of the value, but not of a missing definition.
  for (const code of codes.filter((one) => !unknown.includes(one)))
    expect(await complaintAbout([code], 'x')).not.toContain('definition for the option');
});

describe('on a segment', () => {
  interface Segment {
    readonly edges: readonly Host[];
    readonly client: Host;
  }

  async function segmentOf(network: Network, plan: TenantPlan): Promise<Segment> {
    const edges = await Promise.all(plan.edges.map(({ name }) => network.host(name)));
    const client = await network.host('client');
    await network.segment('fabric', [...edges.map((edge) => [edge, 'net1'] as const), [client, 'lan']]);
    for (const [i, { addresses }] of plan.edges.entries()) await address(edges[i] as Host, addresses);
    const [a, b] = edges;
    if (a !== undefined && b !== undefined) {
      await network.connect([a, 'peer0'], [b, 'peer0']);
      for (const [i, { peer }] of plan.edges.entries()) await edges[i]?.run('ip', 'address', 'add', `${peer.address}/30`, 'dev', 'peer0');
    }
    await client.run('ip', 'address', 'add', '192.168.100.250/24', 'dev', 'lan');
    await client.run('ip', 'route', 'add', '255.255.255.255', 'dev', 'lan');
    return { edges, client };
  }

  const dhcp4 = (plan: TenantPlan, edge: EdgePlan) => keaFiles(plan, edge).filter(({ name }) => name === 'kea-dhcp4.json');

  function serve(host: Host, plan: TenantPlan, edge: EdgePlan): Daemon {
    host.configure(dhcp4(plan, edge));
    return host.start(
      'kea',
      host.edge(
        'env',
        'KEA_CONTROL_SOCKET_DIR=/run/kea/ctl',
        'KEA_LOCKFILE_DIR=/run/kea',
        'KEA_PIDFILE_DIR=/run/kea',
        'kea-dhcp4',
        '-c',
        '/mnt/dhcp/kea-dhcp4.json',
      ),
    );
  }

  const says = (daemon: Daemon, text: string) =>
    daemon.until(async () => readFileSync(daemon.log, 'utf8').includes(text), AbortSignal.timeout(60_000));
  const lease = async (client: Host, mac: string, clientId?: string): Promise<Lease | null> =>
    (await client.program('dhcp-client.ts', JSON.stringify({ mac, ...(clientId === undefined ? {} : { clientId }) }))) as Lease | null;
  const text = (value: string) => Buffer.from(value).toString('hex');
  const KNOWN = '02:00:00:00:01:01';

  test('a machine of the tenant gets its own address, its name and everything it has to know', async () => {
    await using network = new Network();
    const { edges, client } = await segmentOf(network, single);
    await says(serve(edges[0] as Host, single, edgeOf(single)), 'DHCP4_STARTED');
    expect(await lease(client, KNOWN)).toEqual({
      address: '192.168.100.10',
      server: '192.168.100.2',
      seconds: 900,
      options: {
        '1': 'ffffff00',
        '3': 'c0a86401',
        '6': 'c0a86402c0a86404',
        '12': text('blue-workers-x7k20-1'),
        '15': text('blue.example.com'),
        '42': 'c0a86401',
        '119': `04${text('blue')}07${text('example')}03${text('com')}00`,
        '121': '00c0a86401', // the default route, once more
      },
    });
  });

  test('the same machine keeps its address when it comes back with another client id, as it does when it boots', async () => {
    await using network = new Network();
    const { edges, client } = await segmentOf(network, single);
    await says(serve(edges[0] as Host, single, edgeOf(single)), 'DHCP4_STARTED');
    const addresses = [await lease(client, KNOWN, `01${KNOWN}`), await lease(client, KNOWN, 'ff00000001'), await lease(client, KNOWN)].map(
      (one) => one?.address,
    );
    expect(addresses).toEqual(['192.168.100.10', '192.168.100.10', '192.168.100.10']);
  });

  test('mistake 11: a stranger gets nothing where only known machines are served, and an address where anyone is', async () => {
    const stranger = '02:66:66:66:66:66';
    const tried: TenantPlan[] = [single, { ...single, dhcp: { ...allRoutes.dhcp } }];
    const got: unknown[] = [];
    for (const plan of tried) {
      await using network = new Network();
      const { edges, client } = await segmentOf(network, plan);
      await says(serve(edges[0] as Host, plan, edgeOf(plan)), 'DHCP4_STARTED');
      got.push((await lease(client, stranger))?.address ?? null);
    }
    expect(got).toEqual([null, expect.stringMatching(/^192\.168\.100\.\d+$/)]);
  });

  test('without the right to open its sockets Kea leaves instead of serving nobody', async () => {
    await using network = new Network();
    const { edges } = await segmentOf(network, single);
    const [host] = edges as [Host];
    const [file] = keaFiles(single, edgeOf(single));
    if (file === undefined) throw new Error('it is served');
    // With the retries of the real one this would take ten seconds.
    host.configure([{ ...file, content: file.content.replace('"service-sockets-max-retries": 10', '"service-sockets-max-retries": 0') }]);
    const powerless = ['setpriv', '--bounding-set=-net_raw', '--inh-caps=-net_raw', '--'];
    const daemon = host.start(
      'kea',
      host.edge(
        'env',
        'KEA_CONTROL_SOCKET_DIR=/run/kea/ctl',
        'KEA_LOCKFILE_DIR=/run/kea',
        'KEA_PIDFILE_DIR=/run/kea',
        ...powerless,
        'kea-dhcp4',
        '-c',
        '/mnt/dhcp/kea-dhcp4.json',
      ),
    );
    await eventually(
      async () => daemon.running,
      (running) => !running,
    );
    expect(readFileSync(daemon.log, 'utf8')).toContain('DHCP4_OPEN_SOCKETS_FAILED');
  });

  test('when the first edge is killed the second one answers, with the same lease', async () => {
    await using network = new Network();
    const { edges, client } = await segmentOf(network, blue);
    const [first, second] = edges.map((host, i) => serve(host, blue, blue.edges[i] as EdgePlan)) as [Daemon, Daemon];
    await Promise.all([first, second].map((daemon) => says(daemon, 'to HOT-STANDBY')));
    expect(await lease(client, KNOWN)).toMatchObject({ address: '192.168.100.10', server: '192.168.100.2' });
    await first.kill();
    await says(second, 'to PARTNER-DOWN');
    expect(await lease(client, KNOWN)).toMatchObject({ address: '192.168.100.10', server: '192.168.100.4' });
  });

  test('a Kea that runs becomes half of a pair and is alone again, without being started anew', async () => {
    await using network = new Network();
    const { edges, client } = await segmentOf(network, blue);
    const [a, b] = edges as [Host, Host];
    const [edgeA, edgeB] = blue.edges as [EdgePlan, EdgePlan];
    const alone: TenantPlan = { ...blue, edges: [edgeA] };
    const first = serve(a, alone, edgeA);
    await says(first, 'DHCP4_STARTED');
    const served = { address: '192.168.100.10', server: '192.168.100.2' };
    expect(await lease(client, KNOWN)).toMatchObject(served);
    // The daemon of the test is the one that made a pid namespace; Kea is its only child.
    const kea = () => Number(readFileSync(`/proc/${first.pid}/task/${first.pid}/children`, 'utf8'));
    const pid = kea();
    const reread = (plan: TenantPlan) => {
      a.configure(dhcp4(plan, edgeA));
      process.kill(pid, 'SIGHUP');
    };
    reread(blue);
    const second = serve(b, blue, edgeB);
    await Promise.all([first, second].map((daemon) => says(daemon, 'to HOT-STANDBY')));
    expect(await lease(client, KNOWN)).toMatchObject(served);
    await second.kill();
    reread(alone);
    const heard = await eventually(
      () => lease(client, KNOWN),
      (found) => found !== null,
    );
    expect(heard).toMatchObject(served);
    expect(readFileSync(first.log, 'utf8')).toContain('HA_DEINIT_OK');
    expect(kea()).toBe(pid);
  });
});
