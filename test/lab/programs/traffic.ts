/**
 * What a worker does all day, from inside its namespace, and what became of it: a watch on its API that is held open, new connections to
 * it, questions to each resolver, and DHCP: what it costs to be new (DISCOVER) and to stay (RENEW, REBIND). Prints one line of JSON per attempt, and one when the watch is opened or breaks.
 *
 * traffic.ts '{"vip": "...", "name": "api...", "ca": "PEM", "cert": "PEM", "key": "PEM", "resolvers": ["..."], "mac": "..."}'
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';

export interface Task {
  readonly vip: string;
  readonly port: number;
  readonly name: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly resolvers: readonly string[];
  readonly mac: string;
  /** Its lease. */
  readonly address: string;
}

export interface Attempt {
  /** Milliseconds since the epoch, when it began. */
  readonly at: number;
  readonly what: string;
  readonly ok: boolean;
  readonly ms: number;
  /** Who answered, where that can be told: the server identifier of DHCP. */
  readonly by?: string;
}

const task = JSON.parse(process.argv[2] ?? '') as Task;
const tell = (what: string, at: number, ok: boolean, by?: string) =>
  console.log(JSON.stringify({ at, what, ok, ms: Date.now() - at, ...(by ? { by } : {}) } satisfies Attempt));

/** What an attempt says of itself: whether it went well, or who answered. */
type Outcome = boolean | { readonly by: string };

async function every(ms: number, what: string, attempt: () => Promise<Outcome>): Promise<never> {
  for (;;) {
    const at = Date.now();
    // Not one after the other: a question that waits for its answer must not keep the next from being asked.
    void attempt().then(
      (outcome) => (typeof outcome === 'boolean' ? tell(what, at, outcome) : tell(what, at, true, outcome.by)),
      () => tell(what, at, false),
    );
    await pause(ms);
  }
}

const dial = (): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: task.vip, port: task.port, timeout: 2000 });
    const end = (ok: boolean) => {
      socket.destroy();
      resolve(ok);
    };
    socket
      .on('connect', () => end(true))
      .on('timeout', () => end(false))
      .on('error', () => end(false));
  });

async function ask(resolver: string): Promise<boolean> {
  const socket = createSocket('udp4');
  const labels = task.name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  const question = Buffer.concat([Buffer.from('000101000001000000000000', 'hex'), ...labels, Buffer.from('0000010001', 'hex')]);
  try {
    socket.send(question, 53, resolver);
    const [answer] = (await once(socket, 'message', { signal: AbortSignal.timeout(1000) })) as [Buffer];
    return answer.readUInt16BE(6) > 0;
  } finally {
    socket.close();
  }
}

const DISCOVER = 1;
const REQUEST = 3;
const ACK = 5;
const BROADCAST = '255.255.255.255';

/** A message of a client (RFC 2131): with its address it is one that wants to stay, without one that is new. */
function message(type: number, transaction: number, address?: string): Buffer {
  const bytes = Buffer.alloc(244);
  bytes.set([1, 1, 6, 0]);
  bytes.writeUInt32BE(transaction, 4);
  if (address === undefined) bytes.writeUInt16BE(0x8000, 10);
  else bytes.set(address.split('.').map(Number), 12);
  bytes.set(Buffer.from(task.mac.replaceAll(':', ''), 'hex'), 28);
  bytes.set([0x63, 0x82, 0x53, 0x63, 53, 1, type, 255], 236);
  return bytes;
}

/** The value of an option of an answer. */
function option(reply: Buffer, code: number): Buffer | undefined {
  for (let at = 240; at < reply.length && reply[at] !== 255; at += 2 + (reply[at + 1] ?? 0))
    if (reply[at] === code) return reply.subarray(at + 2, at + 2 + (reply[at + 1] ?? 0));
  return undefined;
}

/** Sends from port 68 of that address (all, when there is none) and gives the answer, or fails within a second. */
async function exchange(type: number, to: string, address?: string): Promise<Buffer> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  const transaction = Math.floor(Math.random() * 0xffffffff);
  try {
    socket.bind(68, address);
    await once(socket, 'listening');
    socket.setBroadcast(true);
    socket.send(message(type, transaction, address), 67, to);
    const signal = AbortSignal.timeout(1000);
    for (;;) {
      const [reply] = (await once(socket, 'message', { signal })) as [Buffer];
      if (reply.readUInt32BE(4) === transaction) return reply;
    }
  } finally {
    socket.close();
  }
}

const serverOf = (reply: Buffer): string => [...(option(reply, 54) ?? [])].join('.');
let server = BROADCAST;

/** For a machine that has a lease: whoever serves answers with its address, and nothing changes by it. */
async function discover(): Promise<Outcome> {
  return { by: serverOf(await exchange(DISCOVER, BROADCAST)) };
}

/** Its server is asked; when that does not answer, anybody, as a client does later. Two lines then, the first of them a loss. */
async function renew(): Promise<Outcome> {
  const at = Date.now();
  const known = await exchange(REQUEST, server, task.address).catch(() => undefined);
  const reply = known ?? (await rebind(at));
  if (option(reply, 53)?.[0] !== ACK) return false;
  server = serverOf(reply);
  return { by: server };
}

async function rebind(since: number): Promise<Buffer> {
  tell('renew by its server', since, false);
  return exchange(REQUEST, BROADCAST, task.address);
}

/** Opens a watch and holds it until it breaks; then the next one, as every client of an API server does. */
async function watch(): Promise<never> {
  for (;;) {
    const at = Date.now();
    const socket: TLSSocket = connectTls({
      host: task.vip,
      port: task.port,
      servername: task.name,
      ca: task.ca,
      cert: task.cert,
      key: task.key,
    });
    const ended = new Promise<void>((resolve) => {
      socket.on('close', () => resolve()).on('error', () => {});
    });
    socket.on('secureConnect', () => {
      socket.write(`GET /api/v1/nodes?watch=true&timeoutSeconds=86400 HTTP/1.1\r\nHost: ${task.name}\r\n\r\n`);
    });
    socket.once('data', (answer) => tell('watch opened', at, String(answer).startsWith('HTTP/1.1 200')));
    // A dead path shows only when something is sent; a client of the API pings as well.
    socket.setKeepAlive(true, 1000);
    await ended;
    tell('watch broken', Date.now(), false);
    await pause(50);
  }
}

await Promise.all([
  watch(),
  every(50, 'connection', dial),
  ...task.resolvers.map((resolver) => every(200, `dns ${resolver}`, () => ask(resolver))),
  every(500, 'dhcp', discover),
  every(1000, 'renew', renew),
]);
