import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cutToBytes, EventRecorder, type EventToTell } from './events.ts';
import { ManualClock, settle } from './testing/manual-clock.ts';
import { fail, ProtocolServer } from './testing/protocol-server.ts';
import { RecordedLog } from './testing/telemetry-recorder.ts';

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'n', name: 'p', uid: 'u1', resourceVersion: '5' } };
const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1', uid: 'u2' } };
const started: EventToTell = { regarding: pod, type: 'Normal', reason: 'Started', action: 'Start', note: 'it runs' };

let server: ProtocolServer;
let clock: ManualClock;
let log: RecordedLog;
let recorder: EventRecorder;
let stop: AbortController;
let running: Promise<void>;
beforeEach(async () => {
  server = await ProtocolServer.start();
  clock = new ManualClock();
  log = new RecordedLog();
  let drawn = 0;
  const random = () => {
    drawn += 1;
    return drawn / 16;
  };
  const transport = server.transport({ clock, random, retry: { maxRetries: 0, initialMs: 1, maxMs: 1 } });
  recorder = new EventRecorder({ transport, controller: 'example.com/me', instance: 'me-0', log, rate: { qps: 1, burst: 3 } });
  stop = new AbortController();
  running = recorder.run(stop.signal);
});
afterEach(async () => {
  stop.abort();
  await clock.advance(10_000);
  await running;
  await server.close();
});

const until = (condition: () => void) => vi.waitFor(condition, { timeout: 20_000, interval: 2 });
const told = () => server.list('events');

test('an event has all that the API wants', async () => {
  recorder.record({ ...started, related: node });
  await until(() => expect(told()).toHaveLength(1));
  expect(server.requests.map(({ path, body }) => [path, body])).toEqual([
    [
      '/apis/events.k8s.io/v1/namespaces/n/events',
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: 'p.19b7ca98c8810000000', namespace: 'n' },
        eventTime: '2026-01-02T03:04:05.000000Z',
        reportingController: 'example.com/me',
        reportingInstance: 'me-0',
        type: 'Normal',
        reason: 'Started',
        action: 'Start',
        note: 'it runs',
        regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'n', name: 'p', uid: 'u1' },
        related: { apiVersion: 'v1', kind: 'Node', name: 'node-1', uid: 'u2' },
      },
    ],
  ]);
});

test('an event about what has no namespace goes to default', async () => {
  recorder.record({ ...started, regarding: node });
  await until(() => expect(told()[0]?.metadata.namespace).toBe('default'));
});

test('the same event is told once in two minutes, another one at once', async () => {
  recorder.record(started);
  recorder.record(started);
  recorder.record({ ...started, note: 'it runs well' });
  await until(() => expect(told()).toHaveLength(2));
  await clock.advance(119_999);
  recorder.record(started);
  await settle();
  expect(told()).toHaveLength(2);
  await clock.advance(1);
  recorder.record(started);
  await until(() => expect(told()).toHaveLength(3));
});

test('what makes two events the same can be said', async () => {
  recorder.record({ ...started, note: 'took 3 ms', dedupe: ['took'] });
  recorder.record({ ...started, note: 'took 4 ms', dedupe: ['took'] });
  recorder.record({ ...started, note: 'last', regarding: { ...pod, metadata: { ...pod.metadata, uid: 'another' } } });
  await until(() => expect(told().map((event) => event['note'])).toEqual(['took 3 ms', 'last']));
});

test('many events at once are spread', async () => {
  for (let event = 0; event < 5; event += 1) recorder.record({ ...started, note: `number ${event}` });
  await until(() => expect(told()).toHaveLength(3));
  await until(() => expect(clock.waits).toEqual([1_000]));
  await clock.advance(1_000);
  await until(() => expect(told()).toHaveLength(4));
});

test('an event that is refused is logged, and the next is told', async () => {
  server.failNext(
    () => true,
    (response) => fail(response, 403, 'Forbidden', 'the namespace is being terminated'),
  );
  recorder.record(started);
  recorder.record({ ...started, note: 'second' });
  await until(() => expect(told().map((event) => event['note'])).toEqual(['second']));
  expect(log.messages('warn')).toEqual(['an event could not be written']);
});

test('what waits at the stop is still told', async () => {
  recorder.record(started);
  stop.abort();
  await running;
  expect(told()).toHaveLength(1);
});

test('but not for ever', async () => {
  server.failNext(
    () => true,
    () => {},
  );
  recorder.record(started);
  await until(() => expect(server.requests).toHaveLength(1));
  stop.abort();
  await clock.advance(5_000);
  await running;
  expect(told()).toEqual([]);
});

test('events that nobody writes do not fill the memory', () => {
  const transport = server.transport({ clock });
  const idle = new EventRecorder({ transport, controller: 'c', instance: 'i' });
  for (let event = 0; event < 10_000; event += 1) idle.record({ ...started, note: `number ${event}` });
  expect(idle.waiting).toBe(2_000);
});

test('a long note is cut at a whole character', () => {
  expect(cutToBytes('short', 10)).toBe('short');
  expect(cutToBytes('ääää', 8)).toBe('ääää');
  expect(cutToBytes('ääääx', 8)).toBe('ää...');
  expect(cutToBytes('x😀😀😀', 8)).toBe('x😀...');
});
