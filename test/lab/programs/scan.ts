/**
 * Every port of every address, from inside a namespace: prints, as JSON, which TCP ports are open or refused (anything but silence) and which
 * UDP ports answer a question.
 *
 * scan.ts '{"addresses": ["192.168.100.2"], "tcp": [1, 65535], "udp": [1, 65535]}'
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface Task {
  readonly addresses: readonly string[];
  readonly tcp: readonly [first: number, last: number];
  readonly udp?: readonly [first: number, last: number];
}

export interface Found {
  readonly open: readonly number[];
  /** Somebody said no, which an address that is not there does not. */
  readonly refused: readonly number[];
  readonly udp: readonly number[];
}

const AT_ONCE = 3000;
const PATIENCE_MS = 800;

const dial = (host: string, port: number): Promise<'open' | 'refused' | 'silent'> =>
  new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (word: 'open' | 'refused' | 'silent') => {
      clearTimeout(timer);
      socket.destroy();
      resolve(word);
    };
    const timer = setTimeout(() => end('silent'), PATIENCE_MS);
    socket
      .on('connect', () => end('open'))
      .on('error', (error: NodeJS.ErrnoException) => end(error.code === 'ECONNREFUSED' ? 'refused' : 'silent'));
  });

async function tcp(host: string, [first, last]: Task['tcp']): Promise<Pick<Found, 'open' | 'refused'>> {
  const found = { open: [] as number[], refused: [] as number[] };
  let next = first;
  const worker = async () => {
    while (next <= last) {
      const port = next++;
      const word = await dial(host, port);
      if (word !== 'silent') found[word].push(port);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { open: found.open.sort((a, b) => a - b), refused: found.refused.sort((a, b) => a - b) };
}

/** A question of DNS, which some other servers answer too, if only with an error. */
const QUESTION = Buffer.from('0001010000010000000000000000060001', 'hex');

async function udp(host: string, [first, last]: Task['tcp']): Promise<readonly number[]> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  const answered = new Set<number>();
  socket.on('message', (_, { port }) => answered.add(port)).on('error', () => {});
  socket.bind();
  await once(socket, 'listening');
  for (let port = first; port <= last; port++) {
    socket.send(QUESTION, port, host);
    if (port % 500 === 0) await pause(5);
  }
  await pause(1000);
  socket.close();
  return [...answered].sort((a, b) => a - b);
}

const task = JSON.parse(process.argv[2] ?? '') as Task;
const found: Record<string, Found> = {};
for (const address of task.addresses)
  found[address] = { ...(await tcp(address, task.tcp)), udp: task.udp ? await udp(address, task.udp) : [] };
console.log(JSON.stringify(found));
