/** A store that follows a server which can be made to misbehave: what the tests of the reflector share. */
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { Informer, type InformerOptions, withoutManagedFields } from '../informer.ts';
import type { WireObject } from '../object.ts';
import type { Stored, StoreEvent } from '../store.ts';
import type { TransportOptions } from '../transport.ts';
import { CONFIG_MAP } from './kinds.ts';
import { ProtocolServer, type Seen } from './protocol-server.ts';
import { RecordedLog, RecordedMetrics } from './telemetry-recorder.ts';

export type Thing = WireObject & Stored;

export const QUICK = { initialMs: 1, maxMs: 2, factor: 2, jitter: 0, resetAfterMs: 1_000 };
export const resource = 'configmaps';

export let server: ProtocolServer;
const closing: (() => Promise<void> | void)[] = [];
beforeEach(async () => {
  server = await ProtocolServer.start();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await server.close();
});

export function follow(options: Partial<InformerOptions<Thing>> = {}, transportOptions: Partial<TransportOptions> = {}) {
  const log = new RecordedLog();
  const metrics = new RecordedMetrics();
  const transport = server.transport({ retry: { maxRetries: 0, initialMs: 1, maxMs: 1 }, random: () => 0, ...transportOptions });
  const informer = new Informer<Thing>({
    transport,
    resource: CONFIG_MAP,
    project: withoutManagedFields,
    backoff: QUICK,
    log,
    metrics,
    ...options,
  });
  const events: StoreEvent<Thing>[] = [];
  informer.store.subscribe((event) => events.push(event));
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  closing.push(async () => {
    stop.abort();
    await running;
    transport.close();
  });
  return { informer, events, log, metrics, stop, running };
}

export const put = (name: string, data: Record<string, string> = {}) => server.put(resource, { metadata: { namespace: 'n', name }, data });
export const lists = () => server.requests.filter(({ query }) => !query['watch']);
export const watches = () => server.requests.filter(({ query }) => query['watch'] === 'true');
export const initialLists = () => watches().filter(({ query }) => query['sendInitialEvents'] === 'true');
export const isWatch = ({ query }: Seen) => query['watch'] === 'true';
export const isInitial = ({ query }: Seen) => query['sendInitialEvents'] === 'true';
export const isList = (seen: Seen) => !isWatch(seen);

/** The store has exactly what the server has. */
export const equal = (informer: Informer<Thing>) =>
  vi.waitFor(
    () => {
      expect(informer.store.hasSynced).toBe(true);
      expect(informer.store.list().toSorted(byName)).toEqual(server.list(resource).toSorted(byName));
    },
    { timeout: 20_000, interval: 2 },
  );
const byName = (a: Stored, b: Stored) => (a.metadata.name < b.metadata.name ? -1 : 1);
export const until = (condition: () => void) => vi.waitFor(condition, { timeout: 20_000, interval: 2 });
