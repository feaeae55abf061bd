/**
 * A DHCPv4 client that speaks for any MAC: asks for a lease from inside a network namespace and prints what came of it as JSON, or null when
 * nobody answers. It asks for answers by broadcast, so it needs no raw socket.
 *
 * dhcp-client.ts '{"mac": "02:00:00:00:01:01", "clientId": "ff01"}'
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

export interface Lease {
  readonly address: string;
  readonly server: string;
  readonly seconds: number;
  /** Raw, by code, as hexadecimal digits. */
  readonly options: Readonly<Record<string, string>>;
}

interface Task {
  readonly mac: string;
  readonly clientId?: string;
}

const [DISCOVER, OFFER, REQUEST, ACK] = [1, 2, 3, 5];
const PATIENCE_MS = 2000;
const COOKIE = '63825363';
const TRANSACTION = 0x68637069;

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(':', ''), 'hex');
const option = (code: number, value: Buffer): Buffer => Buffer.concat([Buffer.from([code, value.length]), value]);
const address = (bytes: Uint8Array): string => bytes.join('.');

function message(type: number, { mac, clientId }: Task, more: readonly Buffer[] = []): Buffer {
  const fixed = Buffer.alloc(236);
  fixed.set([1, 1, 6, 0]); // a request, Ethernet
  fixed.writeUInt32BE(TRANSACTION, 4);
  fixed.writeUInt16BE(0x8000, 10); // answer by broadcast
  fixed.set(hex(mac), 28);
  const asked = Buffer.from([1, 3, 6, 12, 15, 26, 42, 51, 119, 121]);
  const options = [
    option(53, Buffer.from([type])),
    ...(clientId === undefined ? [] : [option(61, hex(clientId))]),
    option(55, asked),
    ...more,
  ];
  return Buffer.concat([fixed, hex(COOKIE), ...options, Buffer.from([255])]);
}

interface Reply {
  readonly address: string;
  readonly options: ReadonlyMap<number, Buffer>;
}

function parse(reply: Buffer): Reply {
  const options = new Map<number, Buffer>();
  for (let at = 240; at < reply.length && reply[at] !== 255; ) {
    const [code = 0, length = 0] = [reply[at], reply[at + 1]];
    options.set(code, reply.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return { address: address(reply.subarray(16, 20)), options };
}

async function exchange(socket: Socket, task: Task, request: Buffer, expected: number): Promise<Reply | undefined> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  socket.send(request, 67, '255.255.255.255');
  for (;;) {
    try {
      const [reply] = (await once(socket, 'message', { signal })) as [Buffer];
      const ours = reply.readUInt32BE(4) === TRANSACTION && reply.subarray(28, 34).equals(hex(task.mac));
      const parsed = parse(reply);
      if (ours && parsed.options.get(53)?.[0] === expected) return parsed;
    } catch {
      return undefined;
    }
  }
}

async function lease(task: Task): Promise<Lease | null> {
  const socket = createSocket('udp4');
  socket.bind(68);
  await once(socket, 'listening');
  socket.setBroadcast(true);
  try {
    const offer = await exchange(socket, task, message(DISCOVER, task), OFFER);
    const server = offer?.options.get(54);
    if (offer === undefined || server === undefined) return null;
    const wanted = [option(50, Buffer.from(offer.address.split('.').map(Number))), option(54, server)];
    const ack = await exchange(socket, task, message(REQUEST, task, wanted), ACK);
    if (ack === undefined) return null;
    return {
      address: ack.address,
      server: address(server),
      seconds: ack.options.get(51)?.readUInt32BE(0) ?? 0,
      options: Object.fromEntries(
        [...ack.options].filter(([code]) => ![51, 53, 54, 58, 59, 61].includes(code)).map(([code, value]) => [code, value.toString('hex')]),
      ),
    };
  } finally {
    socket.close();
  }
}

console.log(JSON.stringify(await lease(JSON.parse(process.argv[2] ?? '') as Task)));
