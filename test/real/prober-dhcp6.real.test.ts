import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keaFiles } from '../../src/gateway/kea.ts';
import { proberGuardFiles } from '../../src/gateway/prober-guard.ts';
import { probeList } from '../../src/gateway/probes.ts';
import { segmentMac } from '../../src/gateway/segment-mac.ts';
import type { EdgePlan, TenantPlan } from '../../src/gateway/tenant-plan.ts';
import { dualStack } from '../../src/gateway/testing/sample-plans.ts';
import { type ProbeList, writeProbeList } from '../../src/probes/probe-list.ts';
import type { ProbeReport } from '../../src/probes/report.ts';
import { type Host, Network } from './network.ts';

const NODE = join(import.meta.dirname, '..', '..', 'node_modules', 'node', 'bin', 'node');
const PROBER = join(import.meta.dirname, '..', '..', 'src', 'prober', 'main.ts');

/** One edge, and nothing but DHCPv6. */
const [first] = dualStack.edges as readonly [EdgePlan, EdgePlan];
const edge: EdgePlan = { ...first, addresses: { ipv6: 'fd00:100::2' } };
const plan: TenantPlan = {
  ...dualStack,
  addresses: { ...(dualStack.addresses.ipv6 ? { ipv6: dualStack.addresses.ipv6 } : {}) },
  edges: [edge],
  prober: { name: 'prober', addresses: { ipv6: 'fd00:100::5' } },
};
const whole = probeList(plan, {});
const list: ProbeList = { ...whole, dns: { questions: [], serials: [], denied: [] }, edges: [], endpoints: [] };

async function plug(host: Host, mac: string, address: string): Promise<void> {
  await host.run('ip', 'link', 'set', 'net1', 'down');
  await host.run('ip', 'link', 'set', 'net1', 'address', mac);
  // Not a second of waiting for duplicates on a cable that was laid a moment ago.
  await host.run('sysctl', '-qw', 'net.ipv6.conf.net1.accept_dad=0');
  await host.run('ip', 'link', 'set', 'net1', 'up');
  await host.run('ip', 'address', 'add', `${address}/64`, 'dev', 'net1', 'nodad');
}

test('an IPv6 segment is asked for an address as well, behind the guard, and a server that is silent is told', async () => {
  await using network = new Network();
  const [server, prober] = [await network.host('edge-a'), await network.host('prober')];
  await network.segment(
    'segment',
    [server, prober].map((host) => [host, 'net1'] as const),
  );
  await plug(server, segmentMac(plan, edge), 'fd00:100::2');
  await plug(prober, segmentMac(plan, { name: 'prober' }), 'fd00:100::5');
  prober.configure(proberGuardFiles({ name: 'prober', addresses: { ipv6: 'fd00:100::5' } }));
  await prober.run(...prober.edge('nft', '--file', '/mnt/guard/guard.nft'));
  server.configure(keaFiles(plan, edge));
  const places = ['KEA_CONTROL_SOCKET_DIR=/run/kea/ctl', 'KEA_LOCKFILE_DIR=/run/kea', 'KEA_PIDFILE_DIR=/run/kea'];
  const kea = server.start('kea', server.edge('env', ...places, 'kea-dhcp6', '-c', '/mnt/dhcp/kea-dhcp6.json'));
  await kea.until(async () => readFileSync(kea.log, 'utf8').includes('DHCP6_STARTED'), AbortSignal.timeout(60_000));

  const file = join(prober.dir, 'probes.json');
  writeFileSync(file, writeProbeList(list));
  const look = async () => {
    const { results, rogueServers } = JSON.parse(await prober.run(NODE, PROBER, 'once', file)) as ProbeReport;
    return { told: results.map(({ subject, verdict, message }) => `${subject} ${verdict}: ${message}`), rogueServers };
  };
  expect(await look()).toEqual({
    told: [
      `SOLICIT passed: ${whole.dhcp6?.servers[0]} advertises an address and the resolvers as planned`,
      'other DHCPv6 servers passed: nobody else gives out addresses',
    ],
    rogueServers: [],
  });
  await kea.kill();
  expect((await look()).told[0]).toMatch(/^SOLICIT failed: neither of .* advertises an address$/);
});
