/**
 * Every port of every address, from inside a namespace: prints, as JSON, which TCP ports are open or refused (anything but silence) and which
 * UDP ports answer a question.
 *
 * scan.ts '{"addresses": ["192.168.100.2"], "ports": [[1, 65535]]}'
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface Task {
  readonly addresses: readonly string[];
  readonly ports: readonly (readonly [first: number, last: number])[];
}

export interface Found {
  readonly open: readonly number[];
  /** Somebody said no, which an address that is not there does not. */
  readonly refused: readonly number[];
  readonly udp: readonly number[];
}

const AT_ONCE = 6000;
/** A connection is asked for again after a second, once. */
const PATIENCE_MS = 1200;
const CONTROL_EVERY = 500;

/** Anything else is our own trouble, and says nothing of the other side. */
const UNREACHABLE = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']);

const dial = (host: string, port: number): Promise<'open' | 'refused' | 'silent'> =>
  new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (word: 'open' | 'refused' | 'silent') => {
      clearTimeout(timer);
      socket.destroy();
      resolve(word);
    };
    // On a busy machine the time is over before anybody has looked at the answers that are there: they are looked at once more.
    const timer = setTimeout(() => setImmediate(() => end('silent')), PATIENCE_MS);
    socket
      .on('connect', () => end('open'))
      .on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET') end('refused');
        else if (UNREACHABLE.has(error.code ?? '')) end('silent');
        else throw error;
      });
  });

/** Who misses a port that is open cannot say of others that they are closed: one of our own is dialled every so often. */
async function openPort(): Promise<{ readonly port: number; close(): void }> {
  const server = createServer((socket) => socket.on('error', () => {}).destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

/** All addresses at once: most of the time goes into waiting for those who do not answer. */
async function tcp(addresses: readonly string[], ports: readonly number[]): Promise<Record<string, Pick<Found, 'open' | 'refused'>>> {
  const found = Object.fromEntries(addresses.map((address) => [address, { open: [] as number[], refused: [] as number[] }]));
  const targets = ports.flatMap((port) => addresses.map((host) => ({ host, port }))).entries();
  const own = await openPort();
  const worker = async () => {
    for (const [i, { host, port }] of targets) {
      const word = await dial(host, port);
      if (word !== 'silent') found[host]?.[word].push(port);
      if (i % CONTROL_EVERY === 0 && (await dial('127.0.0.1', own.port)) !== 'open')
        throw new Error(`what is open was not seen: the machine is too busy to say anything of port ${port} of ${host}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  own.close();
  const sorted = (list: readonly number[] = []) => [...list].sort((a, b) => a - b);
  return Object.fromEntries(
    addresses.map((address) => [address, { open: sorted(found[address]?.open), refused: sorted(found[address]?.refused) }]),
  );
}

/** A question of DNS, which some other servers answer too, if only with an error. */
const QUESTION = Buffer.from('0001010000010000000000000000060001', 'hex');

async function udp(host: string, ports: readonly number[]): Promise<readonly number[]> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  const answered = new Set<number>();
  socket.on('message', (_, { port }) => answered.add(port)).on('error', () => {});
  socket.bind();
  await once(socket, 'listening');
  for (const [i, port] of ports.entries()) {
    socket.send(QUESTION, port, host);
    if (i % 500 === 0) await pause(5);
  }
  await pause(1000);
  // Answers that are there already are read, however late it has become.
  for (let looks = 0; looks < 3; looks++) await new Promise(setImmediate);
  socket.close();
  return [...answered].sort((a, b) => a - b);
}

const { addresses, ports: ranges } = JSON.parse(process.argv[2] ?? '') as Task;
const ports = ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i));
const connected = await tcp(addresses, ports);
const asked = await Promise.all(addresses.map(async (address) => [address, await udp(address, ports)] as const));
console.log(JSON.stringify(Object.fromEntries(asked.map(([address, answered]) => [address, { ...connected[address], udp: answered }]))));
