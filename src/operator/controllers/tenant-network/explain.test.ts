import { expect, test } from 'vitest';
import type { EdgeState } from './edges.ts';
import { explain, lastWords } from './explain.ts';
import { edgePodOf } from './testing/tenant.ts';

const event = (container: string, message: string, lastTimestamp: string | null = '2026-11-15T09:00:00Z') => ({
  message,
  lastTimestamp,
  involvedObject: { fieldPath: `spec.containers{${container}}` },
});

test('the last thing that a readiness probe of the container said', () => {
  const events = [
    event('dhcp', 'Readiness probe failed: newest\n', '2026-11-15T09:00:10Z'),
    event('dhcp', 'Readiness probe failed: older', '2026-11-15T09:00:00Z'),
    event('dhcp', 'Liveness probe failed: of another kind', '2026-11-15T09:00:20Z'),
    event('dns', 'Readiness probe failed: of another container', '2026-11-15T09:00:20Z'),
  ];
  expect([lastWords(events, 'dhcp'), lastWords(events, 'vip')]).toEqual(['newest', undefined]);
});

const unready = (change: object = {}): EdgeState => ({
  name: 'edge-a',
  pod: edgePodOf('edge-a', { ready: false, unready: 'dhcp', ...change }),
  ready: false,
  problem: { kind: 'notReady', text: 'pod edge-a-0 is not ready: container dhcp is not ready yet' },
});
const problem = async (edge: EdgeState, said: string | undefined) =>
  (await explain([edge], () => Promise.resolve(said), AbortSignal.any([])))[0]?.problem;

test('a file that a daemon refused is named, with the command that says why', async () => {
  expect(await problem(unready(), 'kea-dhcp4.json was refused: invalid option code 999')).toEqual({
    kind: 'refused',
    text: 'pod edge-a-0 serves its last good configuration: container dhcp refused kea-dhcp4.json: invalid option code 999; see: kubectl logs --namespace clusters-blue-edge edge-a-0 --container dhcp',
  });
});

test('anything else that a probe says is passed on', async () => {
  expect(await problem(unready(), 'net1 does not have 192.168.100.2, or is down')).toEqual({
    kind: 'notReady',
    text: 'pod edge-a-0 is not ready: container dhcp says: net1 does not have 192.168.100.2, or is down',
  });
});

test('nobody is asked about a pod that is well, on its way out, or not running', async () => {
  const asked: string[] = [];
  const ask = (edges: readonly EdgeState[]) =>
    explain(
      edges,
      async ({ metadata }) => {
        asked.push(metadata.name);
        return undefined;
      },
      AbortSignal.any([]),
    );
  const well: EdgeState = { name: 'edge-b', pod: edgePodOf('edge-b'), ready: true, problem: undefined };
  const starting: EdgeState = { ...unready(), pod: edgePodOf('edge-a', { ready: false }) };
  const leaving = unready({ terminating: true });
  expect(await ask([well, starting, leaving])).toEqual([well, starting, leaving]);
  expect(asked).toEqual([]);
  expect(await ask([unready()])).toEqual([unready()]);
  expect(asked).toEqual(['edge-a-0']);
});
