import { expect, test } from 'vitest';
import type { Health } from '../../kube/manager.ts';
import { silentLogger } from '../../kube/telemetry.ts';
import { ManualClock } from '../../kube/testing/manual-clock.ts';
import { isAlive, isReady, Watchdog } from './health.ts';
import { httpServer, type Routes } from './http.ts';

const informer = (phase: Health['informers'][string]['phase'], synced: boolean, message = '') => ({ phase, synced, message, objects: 0 });
const health = (informers: Health['informers'], leading = false): Health => ({ informers, allSynced: false, leading });

test('ready means: everything was listed once, leading or not', () => {
  const listed = { pods: informer('synced', true) };
  expect(isReady(health(listed))).toEqual({ ok: true, text: 'ok, waiting for the leadership; webhooks off' });
  expect(isReady(health(listed, true), 'serving')).toEqual({ ok: true, text: 'ok, leading; webhooks serving' });
});

test('one whose webhooks cannot answer yet is not ready: the API server would call it', () => {
  expect(isReady(health({ pods: informer('synced', true) }, true), 'waiting')).toEqual({
    ok: false,
    text: 'webhooks: not served yet, for want of a certificate',
  });
});

test('an API server that is away for a while, or a kind that is not installed, does not make it unready', () => {
  expect(isReady(health({ pods: informer('failing', true, 'ECONNREFUSED'), routes: informer('missing', true) })).ok).toBe(true);
});

test('what was never listed, and what may not be listed, does, and is named', () => {
  const answer = isReady(
    health({
      pods: informer('failing', false, 'ECONNREFUSED'),
      routes: informer('forbidden', true, 'not for you'),
      nodes: informer('synced', true),
    }),
  );
  expect(answer).toEqual({ ok: false, text: 'pods: failing: ECONNREFUSED\nroutes: forbidden: not for you' });
});

test('alive means: nobody has been at work for longer than anything may take', async () => {
  const clock = new ManualClock();
  const watchdog = new Watchdog(clock);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const context = { signal: new AbortController().signal, reconcileId: 'r', failures: 0 };
  const run = watchdog.guard('tenantnetwork', () => promise)('clusters/blue', context);
  expect(isAlive(watchdog)).toEqual({ ok: true, text: 'ok' });
  await clock.advance(600_001);
  expect(isAlive(watchdog)).toEqual({ ok: false, text: 'stuck: tenantnetwork clusters/blue' });
  resolve(undefined);
  await run;
  expect(isAlive(watchdog).ok).toBe(true);
});

async function served(routes: Routes, ask: (url: string) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const { promise, resolve } = Promise.withResolvers<number>();
  const running = httpServer('test', { host: '127.0.0.1', port: 0 }, routes, silentLogger, resolve).run(stop.signal);
  await ask(`http://127.0.0.1:${await promise}`);
  stop.abort();
  await running;
}

test('the server answers what it knows, and nothing else', async () => {
  const routes: Routes = {
    '/fine': () => ({ code: 200, body: 'yes\n' }),
    '/broken': () => {
      throw new Error('secret');
    },
  };
  await served(routes, async (url) => {
    const asked = [
      await fetch(`${url}/fine?verbose`),
      await fetch(`${url}/other`),
      await fetch(`${url}/fine`, { method: 'POST' }),
      await fetch(`${url}/broken`),
    ];
    expect(await Promise.all(asked.map(async (answer) => [answer.status, await answer.text()]))).toEqual([
      [200, 'yes\n'],
      [404, 'not found\n'],
      [405, 'only GET\n'],
      [500, 'internal error\n'],
    ]);
  });
});
