import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ManualClock } from './testing/manual-clock.ts';
import { readWatch, type WatchEvent, type WatchLimits } from './watch-stream.ts';

const never = new AbortController().signal;
const line = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;
const object = (name: string, resourceVersion = '1') => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, resourceVersion } });

function setUp(limits: Partial<WatchLimits> = {}, signal: AbortSignal = never) {
  const clock = new ManualClock();
  const stream = new PassThrough();
  const open = async (scope: AbortSignal) => {
    // As the transport does it: an abort destroys the stream with an error of its own.
    scope.addEventListener('abort', () => stream.destroy(new Error('given up')));
    return stream as unknown as IncomingMessage;
  };
  const events: WatchEvent[] = [];
  const reading = (async () => {
    for await (const event of readWatch(open, { clock, idleMs: () => 1_000, deadlineMs: 10_000, maxLineBytes: 1_000, ...limits }, signal))
      events.push(event);
  })();
  reading.catch(() => {});
  return { clock, stream, events, reading };
}

test('lines become events, and a server that ends the watch ends it in order', async () => {
  const { stream, events, reading } = setUp();
  stream.write(`${line('ADDED', object('a'))}${line('MODIFIED', object('a', '2'))}\n`);
  stream.write(line('BOOKMARK', { metadata: { resourceVersion: '7' } }));
  stream.write(line('BOOKMARK', { metadata: { resourceVersion: '8', annotations: { 'k8s.io/initial-events-end': 'true' } } }));
  stream.end(line('DELETED', object('a', '9')));
  await reading;
  expect(events).toEqual([
    { type: 'ADDED', object: object('a') },
    { type: 'MODIFIED', object: object('a', '2') },
    { type: 'BOOKMARK', resourceVersion: '7', endsInitialList: false },
    { type: 'BOOKMARK', resourceVersion: '8', endsInitialList: true },
    { type: 'DELETED', object: object('a', '9') },
  ]);
});

test('an ERROR event is the error it carries', async () => {
  const { stream, reading } = setUp();
  stream.write(line('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' }));
  await expect(reading).rejects.toMatchObject({ name: 'ApiError', code: 410, reason: 'Expired' });
});

test('what was whole is delivered before a cut is told', async () => {
  const { stream, events, reading } = setUp();
  stream.end(`${line('ADDED', object('a'))}{"type":"ADDED","obj`);
  await expect(reading).rejects.toMatchObject({ name: 'WatchBroken', reason: 'truncated' });
  expect(events).toEqual([{ type: 'ADDED', object: object('a') }]);
});

test.each([
  ['no JSON', 'hello\n'],
  ['an unknown type', line('RENAMED', object('a'))],
  ['no resource version', line('ADDED', { metadata: { name: 'a' } })],
  ['no object', '{"type":"ADDED"}\n'],
  ['no end', 'x'.repeat(2_000)],
])('an event with %s breaks the watch', async (_, bytes) => {
  const { stream, reading } = setUp();
  stream.write(bytes);
  await expect(reading).rejects.toMatchObject({ name: 'WatchBroken', reason: 'unparsable' });
});

test('silence breaks the watch, and any byte holds it off', async () => {
  const { clock, stream, reading } = setUp();
  await clock.advance(999);
  stream.write('\n');
  await clock.advance(999);
  stream.write('\n');
  await clock.advance(999);
  expect(stream.destroyed).toBe(false);
  await clock.advance(1);
  await expect(reading).rejects.toMatchObject({ reason: 'stalled' });
});

test('a watch that nobody ends is ended, however lively it is', async () => {
  const { clock, stream, reading } = setUp();
  for (let second = 0; second < 20; second += 1) {
    if (!stream.destroyed) stream.write('\n');
    await clock.advance(500);
  }
  await expect(reading).rejects.toMatchObject({ reason: 'deadline' });
});

test('a connection that breaks is told as a reset', async () => {
  const { stream, reading } = setUp();
  stream.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
  await expect(reading).rejects.toMatchObject({ name: 'WatchBroken', reason: 'reset', message: 'read ECONNRESET' });
});

test('an abort ends the reading with its reason', async () => {
  const stop = new AbortController();
  const { reading } = setUp({}, stop.signal);
  stop.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
});

test('a reader that leaves early closes the connection and leaves no timer', async () => {
  const clock = new ManualClock();
  const stream = new PassThrough();
  stream.write(line('ADDED', object('a')) + line('ADDED', object('b')));
  let aborted = false;
  const open = async (scope: AbortSignal) => {
    scope.addEventListener('abort', () => {
      aborted = true;
    });
    return stream as unknown as IncomingMessage;
  };
  for await (const _ of readWatch(open, { clock, idleMs: () => 1_000, deadlineMs: 10_000, maxLineBytes: 1_000 }, never)) break;
  expect([aborted, clock.waits]).toEqual([true, []]);
});
