/**
 * TCP from inside a network namespace.
 *
 * tcp.ts listen HOST:PORT...   accepts connections until it is killed; prints one line when it does
 * tcp.ts dial HOST:PORT...     prints, as JSON, what became of a connection to each: open, an error code, or silence
 * tcp.ts hold COUNT HOST:PORT [FROM]  prints how many of so many connections at the same time are open
 * tcp.ts crowd COUNT HOST:PORT        the same, and keeps those until it is killed
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

const PATIENCE_MS = 1500;

const split = (text: string): { host: string; port: number } => {
  const at = text.lastIndexOf(':');
  return { host: text.slice(0, at).replaceAll(/[[\]]/g, ''), port: Number(text.slice(at + 1)) };
};

const dial = (target: string, localAddress?: string): Promise<readonly [outcome: string, socket: Socket]> =>
  new Promise((resolve) => {
    const socket = connect({ ...split(target), ...(localAddress ? { localAddress } : {}) });
    const end = (outcome: string) => {
      clearTimeout(timer);
      resolve([outcome, socket]);
    };
    // On a busy machine the time is over before anybody has looked at the answers that are there: they are looked at once more.
    const timer = setTimeout(() => setImmediate(() => end('silence')), PATIENCE_MS);
    socket.on('connect', () => end('open')).on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });

async function dialAll(targets: readonly string[], from?: string, keep = false): Promise<readonly string[]> {
  const results = await Promise.all(targets.map((target) => dial(target, from)));
  for (const [outcome, socket] of results) if (!keep || outcome !== 'open') socket.destroy();
  return results.map(([outcome]) => outcome);
}

const [mode, ...args] = process.argv.slice(2);
if (mode === 'listen') {
  await Promise.all(args.map((target) => once(createServer((socket) => socket.on('error', () => {})).listen(split(target)), 'listening')));
  console.log('listening');
} else if (mode === 'hold' || mode === 'crowd') {
  const [count, target = '', from] = args;
  const outcomes = await dialAll(Array<string>(Number(count)).fill(target), from, mode === 'crowd');
  console.log(outcomes.filter((outcome) => outcome === 'open').length);
} else {
  const outcomes = await dialAll(args);
  console.log(JSON.stringify(Object.fromEntries(args.map((target, i) => [target, outcomes[i]]))));
}
