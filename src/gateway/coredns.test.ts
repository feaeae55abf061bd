import { describe, expect, test } from 'vitest';
import { dnsFiles } from './coredns.ts';
import type { EdgePlan, TenantPlan } from './tenant-plan.ts';
import { contentOf, edgeOf, expectGoldenFiles, goldenEdges, sampleEdges } from './testing/sample-edges.ts';
import { blue, dualStack } from './testing/sample-plans.ts';

const corefile = (plan: TenantPlan, edge: EdgePlan = edgeOf(plan)) => contentOf(dnsFiles(plan, edge), 'Corefile');
const withDns = (plan: TenantPlan, dns: Partial<TenantPlan['dns']>): TenantPlan => ({ ...plan, dns: { ...plan.dns, ...dns } });

/** The server blocks by their names, and the first word of each line directly inside. */
function blocks(text: string): Map<string, string[]> {
  const found = [...text.matchAll(/^(\S[^\n]*) \{\n([\s\S]*?)^\}$/gm)].map(([, names = '', body = '']) => [names, body] as const);
  return new Map(found.map(([names, body]) => [names, [...body.matchAll(/^ {4}([^\s}]+)/gm)].map(([, word = '']) => word)]));
}

test.each(goldenEdges)('$sample, $edge.name: as agreed', (sample) => expectGoldenFiles(sample, dnsFiles(sample.plan, sample.edge)));

test('both edges serve the same zones under the same serials', () => {
  const zones = (name: EdgePlan['name']) => dnsFiles(dualStack, edgeOf(dualStack, name)).filter((file) => file.name !== 'Corefile');
  expect(zones('edge-b')).toEqual(zones('edge-a'));
});

/** The block that says which Corefile is running; the only one that the segment cannot ask. */
const MARK = 'version.bind:8153';

describe('what is not ours', () => {
  test('without upstream resolvers no block answers for other names, so CoreDNS refuses them', () => {
    expect([...blocks(corefile(blue)).keys()].filter((names) => names.split(' ').includes('.:53'))).toEqual([]);
    expect(corefile(blue)).not.toContain('forward');
  });

  test('a query to the upstream resolvers leaves from the segment, unless they are of both families', () => {
    expect(corefile(withDns(blue, { upstreams: ['192.0.2.53', '192.0.2.54:5353'] }))).toContain(
      '    forward . 192.0.2.53 192.0.2.54:5353 {\n        max_concurrent 1000\n        source_address 192.168.100.2\n    }\n',
    );
    expect(corefile(dualStack)).toContain('    forward . 192.168.100.1 [fd00:100::1]:5353 {\n        max_concurrent 1000\n    }\n');
  });

  test('a zone that others use too passes on what it does not know; one that is denied does not', () => {
    const fallsThrough = (plan: TenantPlan) => blocks(corefile(plan)).get('blue.example.com:53')?.includes('forward');
    expect(fallsThrough(dualStack)).toBe(true);
    expect(fallsThrough(withDns(dualStack, { upstreams: [] }))).toBe(false);
    expect(fallsThrough(withDns(dualStack, { denied: ['blue.example.com'] }))).toBe(false);
  });

  test('a name is answered by one block only, also when it is both a zone and denied', () => {
    const names = [...blocks(corefile(withDns(blue, { denied: ['cluster.local', 'blue.example.com'] }))).keys()].flatMap((key) =>
      key.split(' '),
    );
    expect(names).toEqual(['blue.example.com:53', '100.168.192.in-addr.arpa:53', 'cluster.local:53', MARK]);
  });
});

test('a zone with the longest of names still has a file that a ConfigMap can hold', () => {
  const origin = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`;
  const [, file] = dnsFiles(withDns(blue, { zones: [{ origin, fallthrough: false, records: [] }] }), edgeOf(blue));
  expect(origin).toHaveLength(253);
  expect(file?.name).toMatch(/^db\.[0-9a-f]{64}$/);
  expect(corefile(withDns(blue, { zones: [{ origin, fallthrough: false, records: [] }] }))).toContain(
    `/etc/hcpio/dns/${file?.name} ${origin} {`,
  );
});

test('a cluster whose domain is not known yet has zones all the same', () => {
  const plan: TenantPlan = { ...blue, segment: { ...blue.segment, domain: '' } };
  expect(contentOf(dnsFiles(plan, edgeOf(plan)), 'db.100.168.192.in-addr.arpa')).toContain(
    'SOA edge-a.hcpio.invalid. hostmaster.hcpio.invalid.',
  );
});

test('mistake 12: names are served from zone files, which have wildcards at any depth, and never by the hosts plugin', () => {
  expect(contentOf(dnsFiles(blue, edgeOf(blue)), 'db.blue.example.com')).toContain('*.apps.blue.example.com. 60 IN A 192.168.100.3\n');
  expect([...blocks(corefile(blue))]).toEqual([
    ['blue.example.com:53', ['bind', 'errors', 'prometheus', 'acl', 'bufsize', 'any', 'minimal', 'health', 'ready', 'reload', 'file']],
    ['100.168.192.in-addr.arpa:53', ['bind', 'errors', 'prometheus', 'acl', 'bufsize', 'any', 'minimal', 'file']],
    [expect.stringContaining('cluster.local:53'), ['bind', 'errors', 'prometheus', 'acl', 'bufsize', 'any', 'minimal', 'template']],
    [MARK, ['bind', 'chaos']],
  ]);
});

describe("mistake 13: nothing is forwarded to the hub's resolver", () => {
  test('only addresses of the plan are asked', () => {
    for (const { plan, edge } of sampleEdges) {
      const asked = [...corefile(plan, edge).matchAll(/^ *forward \. (.*) \{$/gm)].flatMap(([, to = '']) => to.split(' '));
      expect(asked.filter((upstream) => !plan.dns.upstreams.includes(upstream))).toEqual([]);
      expect(corefile(plan, edge)).not.toContain('resolv.conf');
    }
  });

  test.each(['/etc/resolv.conf', 'dns-default.openshift-dns.svc', '.'])('%s is refused as an upstream', (upstream) => {
    expect(() => corefile(withDns(blue, { upstreams: [upstream] }))).toThrow('is not the address of a resolver');
  });

  test("the hub's names and private reverse zones are denied before anything is forwarded", () => {
    const denied = [...blocks(corefile(dualStack))].find(([names]) => names.includes('cluster.local:53'));
    expect(denied?.[0].split(' ')).toEqual(dualStack.dns.denied.map((name) => `${name}:53`));
    expect(denied?.[1]).not.toContain('forward');
  });
});

test('mistake 14: the loop plugin, by which a tenant could stop the server, is not there', () => {
  for (const { plan, edge } of sampleEdges) expect(corefile(plan, edge)).not.toMatch(/\bloop\b/);
});

describe('mistake 15: the segment sees port 53 of the edge and nothing else', () => {
  test('every block is bound to the addresses of the edge on the segment, but for the mark, which is on loopback', () => {
    for (const { plan, edge } of sampleEdges) {
      const text = corefile(plan, edge);
      const bound = `    bind ${Object.values(edge.addresses).join(' ')}\n`;
      expect(text.split(bound)).toHaveLength(blocks(text).size);
      expect(text.split('    bind 127.0.0.1\n')).toHaveLength(2);
    }
  });

  test('health, readiness and metrics are on loopback', () => {
    for (const { plan, edge } of sampleEdges) {
      const status = [...corefile(plan, edge).matchAll(/^ *(?:health|ready|prometheus) (.*)$/gm)].map(([, address]) => address);
      expect(new Set(status)).toEqual(new Set(['127.0.0.1:8080', '127.0.0.1:8181', '127.0.0.1:9153']));
    }
  });

  test('every block answers the segment only', () => {
    const text = corefile(dualStack);
    expect(text.split('    acl {\n        allow net 192.168.100.0/24 fd00:100::/64\n        block\n    }\n')).toHaveLength(
      blocks(text).size,
    );
  });
});

test('mistake 16: a changed record changes a zone and its serial but not the Corefile, so there is no reload that could fail in silence', () => {
  const [first, ...others] = blue.dns.zones;
  if (first === undefined) throw new Error('blue has zones');
  const changed = withDns(blue, {
    zones: [{ ...first, records: [...first.records, { name: 'new.blue.example.com', type: 'A', address: '192.168.100.11' }] }, ...others],
  });
  const [before, after] = [dnsFiles(blue, edgeOf(blue)), dnsFiles(changed, edgeOf(changed))];
  const names = after.filter((file, i) => file.content !== before[i]?.content).map((file) => file.name);
  expect(names).toEqual(['db.blue.example.com']);
  const soa = (files: typeof before) => contentOf(files, 'db.blue.example.com').split('\n')[0];
  expect(soa(after)).not.toBe(soa(before));
  expect(contentOf(after, 'Corefile')).toContain(
    '    file /etc/hcpio/dns/db.blue.example.com blue.example.com {\n        reload 2s\n    }\n',
  );
});

test('a Corefile carries a mark of what is in it', () => {
  const mark = (plan: TenantPlan) => /chaos (\S+)/.exec(corefile(plan))?.[1];
  expect(mark(blue)).toMatch(/^[0-9a-f]{16}$/);
  expect(mark(withDns(blue, { upstreams: ['192.0.2.53'] }))).not.toBe(mark(blue));
});

test('mistake 17: OAuth, konnectivity and ignition have names on the segment, as the API has', () => {
  const zone = contentOf(dnsFiles(blue, edgeOf(blue)), 'db.blue.example.com');
  const published = blue.endpoints.map(({ host }) => `${host}. 60 IN A 192.168.100.3`);
  expect(published).toHaveLength(4);
  expect(published.filter((record) => !zone.split('\n').includes(record))).toEqual([]);
});
