import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { LiveHub, NODE_POOLS, nodePool, PROVEN, tenant } from './testing/live-hub.ts';

const bin = join(import.meta.dirname, '..', '..', 'bin', 'hcpio');

/** The command as a person starts it, until it is stopped. */
function watching(command: string, args: readonly string[]): { readonly said: () => string } & AsyncDisposable {
  const child = spawn(command, args, { env: { PATH: process.env['PATH'], TERM: 'xterm' }, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.on('close', resolve));
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  return {
    said: () => said,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

const patience = { timeout: 20_000, interval: 20 };

test('where there is no terminal each change is one line', async () => {
  await using hub = await LiveHub.start(tenant('blue', { observedGeneration: 1, conditions: [] }));
  await using watch = watching(bin, ['status', 'blue', '--watch', '--kubeconfig', hub.kubeconfig]);
  await vi.waitFor(() => expect(hub.server.watchers).toBe(3), patience);
  hub.server.put('tenantnetworks', tenant('blue', PROVEN));
  await vi.waitFor(
    () => expect(watch.said()).toContain('clusters/blue  Ready is True (Ready): everything answers from the segment\n'),
    patience,
  );
  hub.server.put(NODE_POOLS, nodePool('blue', {}));
  await vi.waitFor(() => expect(watch.said()).toContain('clusters/blue  NodePool blue is free\n'), patience);
  hub.server.remove('tenantnetworks', 'clusters/blue');
  await vi.waitFor(() => expect(watch.said()).toMatch(/Z {2}clusters\/blue {2}is gone\n$/), patience);
  expect(watch.said()).not.toContain('\u001b');
});

test('what has to be asked for is asked for now and then, however much changes', async () => {
  await using hub = await LiveHub.start(tenant('blue', PROVEN));
  const since = performance.now();
  await using watch = watching(bin, ['status', 'blue', '--watch', '-o', 'json', '--kubeconfig', hub.kubeconfig]);
  const asked = () => hub.server.requests.filter(({ path }) => path.endsWith('/virtualmachineinstances')).length;
  const views = () =>
    watch
      .said()
      .split('\n')
      .filter((line) => line !== '');
  await vi.waitFor(() => expect(asked()).toBe(1), patience);
  for (const workers of [2, 3, 4, 5]) {
    hub.server.put('tenantnetworks', tenant('blue', { ...PROVEN, workers }));
    await vi.waitFor(
      () => expect(views().some((line) => (JSON.parse(line) as { workers: number }).workers === workers)).toBe(true),
      patience,
    );
  }
  // What was answered is told with all that comes after.
  await vi.waitFor(() => expect((JSON.parse(views().at(-1) ?? '') as { unseen: unknown[] }).unseen.length).toBeGreaterThan(0), patience);
  expect(asked()).toBeLessThanOrEqual(1 + (performance.now() - since) / 15_000);
});

test('on a terminal it is drawn again in place', async () => {
  await using hub = await LiveHub.start(tenant('blue', PROVEN));
  const command = `${bin} status --watch --kubeconfig ${hub.kubeconfig}`;
  // script(1) gives the command a terminal of its own.
  await using watch = watching('script', ['-qefc', command, '/dev/null']);
  await vi.waitFor(() => expect(watch.said()).toContain('clusters/blue'), patience);
  hub.server.put('tenantnetworks', tenant('red', PROVEN));
  await vi.waitFor(() => expect(watch.said()).toContain('clusters/red'), patience);
  // Two lines stood there, the head of the table and blue, and the cursor went up to draw over them.
  expect(watch.said().split('\u001b[2A').length).toBe(2);
});

test('for programs each state is one line of JSON, and a reader that goes away ends it', async () => {
  await using hub = await LiveHub.start(tenant('blue', PROVEN));
  const command = `${bin} status blue --watch -o json --kubeconfig ${hub.kubeconfig} | head -n 1`;
  await using watch = watching('sh', ['-c', command]);
  await vi.waitFor(() => expect((JSON.parse(watch.said()) as { ready: boolean }).ready).toBe(true), patience);
  // Nobody listens any more; that is noticed with the next thing that there is to say.
  hub.server.put('tenantnetworks', tenant('blue', { ...PROVEN, workers: 2 }));
  await vi.waitFor(() => expect(hub.server.watchers).toBe(0), patience);
});
