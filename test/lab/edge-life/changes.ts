import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { issue } from '../../../src/lab/pki/issue.ts';
import { IGNITION_CA } from '../../../src/lab/player/pki/catalogue.ts';
import { workers } from '../../../src/lab/worker/control.ts';
import { type Edge, otherEdge } from '../testing/edge-pair.ts';
import { dial, netnsOf, resolve } from '../testing/from-worker.ts';
import { change, says } from '../testing/operator.ts';
import { eventually } from '../testing/pods.ts';
import { EDGE_NAMESPACE, type EdgeLife, RESOLVERS, TENANT, VIP } from './life.ts';

/** What may change while workers run reaches the edges, and no connection notices. */
const IGNITION_CERT = 'ignition-server-serving-cert';

export function changes(given: () => EdgeLife): void {
  test('a second machine comes: both edges know it, and neither waits for the other', async () => {
    const life = given();
    const { lab, pair } = life;
    const edges = ['edge-a', 'edge-b'] as const;
    const since = Date.now();
    const [second] = await workers.start(lab, { kind: 'netns', count: 1, segment: 'vlan100' }, life.signal);
    const knows = async (edge: Edge) =>
      (
        await pair.exec(edge, 'dhcp', 'grep', '-c', `"hostname": "${second?.name}"`, '/var/lib/kea/active/kea-dhcp4.json').catch(() => '')
      ).trim();
    const known = await Promise.all(
      edges.map(async (edge) => {
        await eventually(
          () => knows(edge),
          (count) => count === '1',
        );
        return `${edge} after ${((Date.now() - since) / 1000).toFixed(1)} s`;
      }),
    );
    const steps = await eventually(
      async () => (await workers.list(lab)).find(({ name }) => name === second?.name)?.steps ?? [],
      (seen) => seen.some(({ step }) => step === 'ready'),
      120_000,
    );
    const lease = steps.find(({ step }) => step === 'lease');
    console.log(`a machine that comes is known to ${known.join(', ')}; it has its lease ${lease?.seconds} s after power-on`);
    expect(steps.map(({ step }) => step)).toContain('ready');
  });

  test('a change reaches every daemon while it runs, the standby first, and no connection notices', async () => {
    const life = given();
    const { lab, pair, worker } = life;
    const netns = await netnsOf(lab, worker);
    const resolverOf = { 'edge-a': RESOLVERS[0], 'edge-b': RESOLVERS[1] } as const;
    await life.unnoticed('a record, a port and the time of leases', async (attempt) => {
      const last = await pair.holder();
      const first = otherEdge(last);
      const value = `192.168.100.${98 + attempt}`;
      const target = `${VIP}:${8442 + attempt}`;
      const lifetime = 600 - attempt;
      const leaseTime = (edge: Edge) =>
        pair.exec(edge, 'dhcp', 'grep', '-c', `"valid-lifetime": ${lifetime}`, '/var/lib/kea/active/kea-dhcp4.json').then(
          (count) => count.trim(),
          () => '0',
        );
      const served = (edge: Edge) => resolve(lab, netns, resolverOf[edge], 'extra.blue.example.com');
      expect(await dial(lab, netns, [target])).toEqual({ [target]: 'no answer' });
      const since = Date.now();
      const seconds = () => ((Date.now() - since) / 1000).toFixed(1);
      await change(lab, TENANT, {
        gateway: {
          dns: { records: [{ name: 'extra.blue.example.com', type: 'A', value }] },
          ports: [{ port: 8442 + attempt, service: 'kube-apiserver', servicePort: 6443 }],
          dhcp: { leaseSeconds: lifetime },
        },
      });
      await eventually(
        () => served(first),
        (found) => found === value,
      );
      const atFirst = seconds();
      // The one with the VIP has nothing of it yet.
      expect([(await served(last)) === value, await leaseTime(last), await dial(lab, netns, [target])]).toEqual([
        false,
        '0',
        { [target]: 'no answer' },
      ]);
      expect(await says(lab, TENANT, 'Applied', /^True/)).toMatch(/^True Applied/);
      await eventually(
        () => dial(lab, netns, [target]),
        (seen) => seen[target] === 'connected',
      );
      for (const edge of [first, last]) {
        expect(
          await eventually(
            () => served(edge),
            (found) => found === value,
          ),
        ).toBe(value);
        expect(
          await eventually(
            () => leaseTime(edge),
            (count) => count === '1',
          ),
        ).toBe('1');
      }
      expect(await dial(lab, netns, [target])).toEqual({ [target]: 'connected' });
      console.log(`a change of the spec was in force on ${first} after ${atFirst} s, on ${last} as well after ${seconds()} s`);
    });
    await life.well();
  });

  test('what Kea refuses stops at the standby and is told with the file and the command that says why; nothing else changes', async () => {
    const life = given();
    const { lab, pair } = life;
    const options = (data: string) => ({ gateway: { dhcp: { options: [{ code: 2, data }] } } });
    const active = (edge: Edge) =>
      pair.exec(edge, 'dhcp', 'md5sum', '/var/lib/kea/active/kea-dhcp4.json', '/etc/hcpio/dhcp/kea-dhcp4.json');
    await life.unnoticed('a configuration is refused', async (attempt) => {
      const last = await pair.holder();
      const before = await active(last);
      try {
        await change(lab, TENANT, options('noon'));
        expect(await says(lab, TENANT, 'EdgeReady', /UpdateHeld/)).toMatch(
          new RegExp(
            `^False UpdateHeld: the update stopped at ${otherEdge(last)}, ${last} serves as before: pod ${otherEdge(last)}-0 serves its last good configuration: ` +
              `container dhcp refused kea-dhcp4\\.json: .*; see: kubectl logs --namespace clusters-blue-edge ${otherEdge(last)}-0 --container dhcp`,
          ),
        );
        expect(await active(last)).toBe(before);
      } finally {
        await change(lab, TENANT, options(`${3600 + attempt}`));
        expect(await says(lab, TENANT, 'Applied', /^True/)).toMatch(/^True/);
        await life.well();
      }
    });
  });

  test('ignition gets another authority: the segment is measured by it, and nothing of the edge is touched', async () => {
    const life = given();
    const { lab, pair } = life;
    const namespace = 'clusters-blue';
    const secretOf = async (name: string) =>
      JSON.parse(await lab.kubectl(['get', 'secret', name, `--namespace=${namespace}`, '--output=jsonpath={.data}'])) as Record<
        string,
        string
      >;
    const now = new X509Certificate(Buffer.from((await secretOf(IGNITION_CERT))['tls.crt'] ?? '', 'base64'));
    const names = (now.subjectAltName ?? '').split(', ').flatMap((name) => (name.startsWith('DNS:') ? [name.slice(4)] : []));
    const edges = await Promise.all([pair.uid('edge-a'), pair.uid('edge-b')]);
    const lookNow = async () =>
      JSON.parse(
        await lab
          .kubectl(['exec', `--namespace=${EDGE_NAMESPACE}`, 'prober-0', '--', '/usr/bin/node', '/opt/hcpio/prober.cjs', 'report'])
          .catch(() => '{}'),
      ) as { readonly results?: readonly { readonly subject: string; readonly verdict: string }[] };
    await life.unnoticed('ignition gets another authority', async () => {
      const pairs = issue(
        [{ secret: IGNITION_CA, subject: { commonName: 'ignition-root-ca-2' } }],
        [
          {
            secret: IGNITION_CERT,
            subject: { commonName: 'ignition-server' },
            issuer: IGNITION_CA,
            usages: ['server'],
            names,
            addresses: [],
          },
        ],
        new Date(),
      );
      for (const [name, { cert, key }] of pairs) {
        const body = JSON.stringify({ stringData: { 'tls.crt': cert, 'tls.key': key } });
        await lab.kubectl(['patch', 'secret', name, `--namespace=${namespace}`, '--type=merge', `--patch=${body}`]);
      }
      const list = () => lab.kubectl(['get', 'configmap', 'prober-probes', `--namespace=${EDGE_NAMESPACE}`, '--output=jsonpath={.data}']);
      const [line = ''] = pairs.get(IGNITION_CA)?.cert.split('\n').slice(3) ?? [];
      expect(await eventually(list, (text) => text.includes(line))).toContain(line);
      await lab.kubectl(['rollout', 'restart', 'deployment/ignition-server-proxy', `--namespace=${namespace}`]);
      await lab.kubectl(['rollout', 'status', 'deployment/ignition-server-proxy', `--namespace=${namespace}`, '--timeout=120s']);
      const seen = await eventually(
        lookNow,
        ({ results }) => results?.every(({ verdict }) => verdict === 'passed') ?? false,
        120_000,
        2000,
      );
      expect(seen.results?.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
      expect(await says(lab, TENANT, 'SegmentProven', /^True/)).toMatch(/^True Proven/);
    });
    expect(await Promise.all([pair.uid('edge-a'), pair.uid('edge-b')])).toEqual(edges);
  });

  test('an address that workers were told does not change while they run', async () => {
    const { lab } = given();
    await expect(change(lab, TENANT, { gateway: { addresses: { vip: '192.168.100.7' } } })).rejects.toThrow(
      /HCPIO-NET-020 spec\.gateway\.addresses\.vip: the VIP would change from 192\.168\.100\.3 to 192\.168\.100\.7, and 2 workers that run would go on using/,
    );
  });
}
