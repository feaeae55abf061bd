/**
 * TCP from inside a network namespace.
 *
 * tcp.ts listen HOST:PORT...   accepts connections until it is killed; prints one line when it does
 * tcp.ts dial HOST:PORT...     prints, as JSON, what became of a connection to each: open, an error code, or silence
 * tcp.ts hold COUNT HOST:PORT  prints how many of so many connections at the same time are open
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

const PATIENCE_MS = 1500;

const split = (text: string): { host: string; port: number } => {
  const at = text.lastIndexOf(':');
  return { host: text.slice(0, at).replaceAll(/[[\]]/g, ''), port: Number(text.slice(at + 1)) };
};

const dial = (target: string): Promise<readonly [outcome: string, socket: Socket]> =>
  new Promise((resolve) => {
    const socket = connect(split(target));
    socket.setTimeout(PATIENCE_MS, () => resolve(['silence', socket]));
    socket.on('connect', () => resolve(['open', socket]));
    socket.on('error', (error: NodeJS.ErrnoException) => resolve([error.code ?? error.message, socket]));
  });

async function dialAll(targets: readonly string[]): Promise<readonly string[]> {
  const results = await Promise.all(targets.map(dial));
  for (const [, socket] of results) socket.destroy();
  return results.map(([outcome]) => outcome);
}

const [mode, ...args] = process.argv.slice(2);
if (mode === 'listen') {
  await Promise.all(args.map((target) => once(createServer((socket) => socket.on('error', () => {})).listen(split(target)), 'listening')));
  console.log('listening');
} else if (mode === 'hold') {
  const [count, target = ''] = args;
  const outcomes = await dialAll(Array<string>(Number(count)).fill(target));
  console.log(outcomes.filter((outcome) => outcome === 'open').length);
} else {
  const outcomes = await dialAll(args);
  console.log(JSON.stringify(Object.fromEntries(args.map((target, i) => [target, outcomes[i]]))));
}
