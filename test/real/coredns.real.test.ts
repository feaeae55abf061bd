import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dnsFiles } from '../../src/gateway/coredns.ts';
import type { EdgePlan, TenantPlan } from '../../src/gateway/tenant-plan.ts';
import { edgeOf, sampleEdges } from '../../src/gateway/testing/sample-edges.ts';
import { blue, dualStack } from '../../src/gateway/testing/sample-plans.ts';
import { toolPath } from '../../tools/paths.ts';
import type { Daemon } from '../../tools/testing/daemon.ts';
import { eventually, type Host, Network } from './network.ts';
import type { Answer } from './programs/dns-client.ts';

/** Our Corefiles and zones in a real CoreDNS, asked by a machine of the segment over UDP and TCP. */
const CLIENT = '192.168.100.10';
const STRANGER = '172.16.9.9';

interface Segment extends AsyncDisposable {
  readonly edge: Host;
  readonly client: Host;
  readonly router: Host;
}

async function segmentOf(edgePlan: EdgePlan): Promise<Segment> {
  const network = new Network();
  const [edge, client, router] = [await network.host('edge'), await network.host('client'), await network.host('router')];
  await network.segment('fabric', [
    [edge, 'net1'],
    [client, 'lan'],
    [router, 'lan'],
  ]);
  const add = (host: Host, link: string, ...addresses: readonly string[]) =>
    Promise.all(
      addresses.map((address) => host.run('ip', 'address', 'add', address, 'dev', link, ...(address.includes(':') ? ['nodad'] : []))),
    );
  const { ipv4, ipv6 } = edgePlan.addresses;
  await add(edge, 'net1', ...(ipv4 === undefined ? [] : [`${ipv4}/24`]), ...(ipv6 === undefined ? [] : [`${ipv6}/64`]));
  await add(client, 'lan', `${CLIENT}/24`, 'fd00:100::a/64', `${STRANGER}/32`);
  if (ipv4 !== '192.168.100.1') await add(router, 'lan', '192.168.100.1/24', 'fd00:100::1/64');
  await edge.run('ip', 'route', 'add', `${STRANGER}/32`, 'dev', 'net1');
  return { edge, client, router, [Symbol.asyncDispose]: () => network[Symbol.asyncDispose]() };
}

const start = (host: Host): Daemon => host.start('coredns', host.pod(toolPath('coredns'), '-conf', '/etc/hcpio/dns/Corefile'));

async function serve(plan: TenantPlan, edgePlan: EdgePlan, edge: Host): Promise<Daemon> {
  edge.configure(dnsFiles(plan, edgePlan));
  const daemon = start(edge);
  await daemon.until(async () => readFileSync(daemon.log, 'utf8').includes('CoreDNS-1.14.'), AbortSignal.timeout(20_000));
  return daemon;
}

const ask = async (
  from: Host,
  server: string,
  questions: readonly string[],
  source = CLIENT,
): Promise<Readonly<Record<string, Answer | string>>> =>
  (await from.program('dns-client.ts', JSON.stringify({ server, source, questions }))) as Record<string, Answer | string>;

const soa = (owner: string, primary = 'edge-a.blue.example.com', contact = 'hostmaster.blue.example.com') =>
  expect.stringMatching(new RegExp(`^${owner} SOA ${primary} ${contact} \\d+$`));
const found = (...answer: readonly string[]) => ({ rcode: 'NOERROR', authoritative: true, answer, authority: [] });
const nothing = (rcode: string, zone: string) => ({ rcode, authoritative: true, answer: [], authority: [soa(zone)] });
const refused = { rcode: 'REFUSED', authoritative: false, answer: [], authority: [] };

test.each(sampleEdges)('$sample, $edge.name: every zone is loaded and served over UDP and TCP', async ({ plan, edge: edgePlan }) => {
  await using segment = await segmentOf(edgePlan);
  await serve(plan, edgePlan, segment.edge);
  const questions = plan.dns.zones.flatMap(({ origin }) => [`udp ${origin} SOA`, `tcp ${origin} SOA`]);
  const { ipv4, ipv6 = '' } = edgePlan.addresses;
  const answers = await ask(segment.client, ipv4 ?? ipv6, questions, ipv4 === undefined ? 'fd00:100::a' : CLIENT);
  const served = plan.dns.zones.map(
    ({ origin }) =>
      [origin, /SOA \S+ \S+ (\d+)/.exec(readFileSync(join(segment.edge.dir, 'etc', 'dns', `db.${origin}`), 'utf8'))?.[1]] as const,
  );
  expect(answers).toEqual(
    Object.fromEntries(
      served.flatMap(([origin, serial]) =>
        ['udp', 'tcp'].map((transport) => [
          `${transport} ${origin} SOA`,
          found(`${origin} SOA edge-a.blue.example.com hostmaster.blue.example.com ${serial}`),
        ]),
      ),
    ),
  );
});

describe('a segment without upstream resolvers', () => {
  test('published names, wildcards, reverse names and what does not exist are all answered as they should be', async () => {
    await using segment = await segmentOf(edgeOf(blue));
    await serve(blue, edgeOf(blue), segment.edge);
    const vip = '192.168.100.3';
    const expected: Record<string, unknown> = {
      'api.blue.example.com A': found(`api.blue.example.com A ${vip}`),
      'api-int.blue.example.com A': found(`api-int.blue.example.com A ${vip}`),
      'ignition.blue.example.com A': found(`ignition.blue.example.com A ${vip}`),
      'console.apps.blue.example.com A': found(`console.apps.blue.example.com A ${vip}`),
      'a.b.apps.blue.example.com A': found(`a.b.apps.blue.example.com A ${vip}`),
      // A name without an IPv6 address exists: NOERROR, or resolvers would forget its IPv4 address too.
      'api.blue.example.com AAAA': nothing('NOERROR', 'blue.example.com'),
      'console.apps.blue.example.com AAAA': nothing('NOERROR', 'blue.example.com'),
      'nothing.blue.example.com A': nothing('NXDOMAIN', 'blue.example.com'),
      '10.100.168.192.in-addr.arpa PTR': found('10.100.168.192.in-addr.arpa PTR blue-workers-x7k20-1.blue.example.com'),
      '99.100.168.192.in-addr.arpa PTR': nothing('NXDOMAIN', '100.168.192.in-addr.arpa'),
      'kubernetes.default.svc.cluster.local A': denied('cluster.local'),
      'console.apps.mgmt.example.com A': denied('apps.mgmt.example.com'),
      'api.mgmt.example.com AAAA': denied('mgmt.example.com'),
      'cluster.local DS': denied('cluster.local'),
      '1.0.128.10.in-addr.arpa PTR': denied('10.in-addr.arpa'),
      'quay.io A': refused,
      'example.com A': refused,
    };
    const over = (transport: string) =>
      Object.fromEntries(Object.entries(expected).map(([question, answer]) => [`${transport} ${question}`, answer]));
    expect(await ask(segment.client, '192.168.100.2', Object.keys(over('udp')))).toEqual(over('udp'));
    expect(await ask(segment.client, '192.168.100.2', Object.keys(over('tcp')))).toEqual(over('tcp'));
  });

  test('a client from elsewhere is refused, also for names that exist', async () => {
    await using segment = await segmentOf(edgeOf(blue));
    await serve(blue, edgeOf(blue), segment.edge);
    const questions = ['udp api.blue.example.com A', 'tcp api.blue.example.com A', 'udp kubernetes.default.svc.cluster.local A'];
    expect(await ask(segment.client, '192.168.100.2', questions, STRANGER)).toEqual(
      Object.fromEntries(questions.map((question) => [question, refused])),
    );
  });

  test('health, readiness and metrics answer inside the pod only', async () => {
    await using segment = await segmentOf(edgeOf(blue));
    await serve(blue, edgeOf(blue), segment.edge);
    const ports = ['8080', '8181', '9153', '53'];
    const dial = (from: Host, address: string) => from.dial(...ports.map((port) => `${address}:${port}`));
    expect(await dial(segment.edge, '127.0.0.1')).toEqual({
      '127.0.0.1:8080': 'open',
      '127.0.0.1:8181': 'open',
      '127.0.0.1:9153': 'open',
      '127.0.0.1:53': 'ECONNREFUSED',
    });
    expect(await dial(segment.client, '192.168.100.2')).toEqual({
      '192.168.100.2:8080': 'ECONNREFUSED',
      '192.168.100.2:8181': 'ECONNREFUSED',
      '192.168.100.2:9153': 'ECONNREFUSED',
      '192.168.100.2:53': 'open',
    });
  });

  test('a changed zone is served within seconds, under the serial that was written, without a new Corefile', async () => {
    await using segment = await segmentOf(edgeOf(blue));
    const daemon = await serve(blue, edgeOf(blue), segment.edge);
    const [first, ...others] = blue.dns.zones;
    if (first === undefined) throw new Error('blue has zones');
    const records = [...first.records, { name: 'new.blue.example.com', type: 'A', address: '192.168.100.11' } as const];
    const after: TenantPlan = { ...blue, dns: { ...blue.dns, zones: [{ ...first, records }, ...others] } };
    segment.edge.configure(dnsFiles(after, edgeOf(blue)).filter(({ name }) => name !== 'Corefile'));
    const look = () => ask(segment.client, '192.168.100.2', ['udp blue.example.com SOA', 'udp new.blue.example.com A']);
    const serial = /SOA \S+ \S+ (\d+)/.exec(dnsFiles(after, edgeOf(blue))[1]?.content ?? '')?.[1];
    expect(await eventually(look, (seen) => JSON.stringify(seen).includes(`hostmaster.blue.example.com ${serial}`))).toEqual({
      'udp blue.example.com SOA': found(`blue.example.com SOA edge-a.blue.example.com hostmaster.blue.example.com ${serial}`),
      'udp new.blue.example.com A': found('new.blue.example.com A 192.168.100.11'),
    });
    expect(readFileSync(daemon.log, 'utf8')).not.toContain('Reloading');
  });
});

const denied = (zone: string) => ({
  rcode: 'NXDOMAIN',
  authoritative: true,
  answer: [],
  authority: [soa(zone, `ns.${zone}`, `hostmaster.${zone}`)],
});

describe('a segment with upstream resolvers', () => {
  /** Answers everything, and writes down what it was asked and by whom. */
  const RESOLVER = `. {
    bind 192.168.100.1
    log . "asked {remote} {name}"
    template IN ANY {
        answer "{{ .Name }} 60 IN A 203.0.113.7"
    }
}
.:5353 {
    bind fd00:100::1
    log . "asked {remote} {name}"
    template IN ANY {
        answer "{{ .Name }} 60 IN A 203.0.113.7"
    }
}
`;
  const resolver = async (host: Host): Promise<() => string[]> => {
    host.configure([{ container: 'dns', name: 'Corefile', content: RESOLVER }]);
    const daemon = start(host);
    await daemon.until(async () => readFileSync(daemon.log, 'utf8').includes('CoreDNS-1.14.'), AbortSignal.timeout(20_000));
    // The names that the health check of the forwarder asks for are not a client's.
    return () =>
      [...readFileSync(daemon.log, 'utf8').matchAll(/asked (\S+) (\S+)$/gm)]
        .filter(([, , name]) => name !== '.')
        .map(([, from, name]) => `${from} ${name}`);
  };

  test('other names are asked there; our own, denied ones and those without an answer of that type are not', async () => {
    await using segment = await segmentOf(edgeOf(dualStack));
    const asked = await resolver(segment.router);
    await serve(dualStack, edgeOf(dualStack), segment.edge);
    const elsewhere = (name: string) => ({
      rcode: 'NOERROR',
      authoritative: expect.any(Boolean) as boolean,
      answer: [`${name} A 203.0.113.7`],
      authority: [],
    });
    const expected = {
      'udp quay.io A': elsewhere('quay.io'),
      'tcp www.example.com A': elsewhere('www.example.com'),
      'udp someone-elses.blue.example.com A': elsewhere('someone-elses.blue.example.com'),
      'udp api.blue.example.com A': found('api.blue.example.com A 192.168.100.3'),
      'udp edge-a.blue.example.com AAAA': nothing('NOERROR', 'blue.example.com'),
      'udp kubernetes.default.svc.cluster.local A': denied('cluster.local'),
      'udp etcd.clusters-blue.svc.cluster.local A': denied('cluster.local'),
      'udp oauth.apps.mgmt.example.com A': denied('apps.mgmt.example.com'),
      'udp 1.0.30.10.in-addr.arpa PTR': denied('10.in-addr.arpa'),
    };
    expect(await ask(segment.client, '192.168.100.2', Object.keys(expected))).toEqual(expected);
    expect(new Set(asked().map((one) => one.split(' ')[1]))).toEqual(
      new Set(['quay.io.', 'someone-elses.blue.example.com.', 'www.example.com.']),
    );
  });

  test("they are asked from the edge's address on the segment", async () => {
    const plan: TenantPlan = { ...blue, dns: { ...blue.dns, upstreams: ['192.168.100.1'] } };
    await using segment = await segmentOf(edgeOf(plan));
    // As in a pod: whoever does not say where it sends from would use this one.
    await segment.edge.run('ip', 'address', 'add', '10.128.0.5/32', 'dev', 'lo');
    await segment.edge.run('ip', 'route', 'replace', '192.168.100.0/24', 'dev', 'net1', 'src', '10.128.0.5');
    const asked = await resolver(segment.router);
    await serve(plan, edgeOf(plan), segment.edge);
    await ask(segment.client, '192.168.100.2', ['udp quay.io A']);
    expect(asked()).toEqual(['192.168.100.2 quay.io.']);
  });
});

describe('CoreDNS says so when it is given something wrong', () => {
  const verdict = async (spoil: (dir: string) => void): Promise<string> => {
    await using segment = await segmentOf(edgeOf(blue));
    segment.edge.configure(dnsFiles(blue, edgeOf(blue)));
    spoil(join(segment.edge.dir, 'etc', 'dns'));
    const daemon = start(segment.edge);
    await eventually(
      async () => daemon.running,
      (running) => !running,
    );
    return readFileSync(daemon.log, 'utf8');
  };

  test('a plugin that does not exist', async () => {
    expect(await verdict((dir) => appendFileSync(join(dir, 'Corefile'), 'wrong.example.com {\n    nosuchplugin\n}\n'))).toContain(
      "Unknown directive 'nosuchplugin'",
    );
  });

  test('a zone that cannot be read', async () => {
    expect(
      await verdict((dir) => writeFileSync(join(dir, 'db.blue.example.com'), 'api.blue.example.com. 60 IN A not-an-address\n')),
    ).toMatch(/bad A/);
  });
});
