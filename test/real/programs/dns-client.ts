/**
 * Asks a DNS server, from inside a network namespace, and prints what came back as JSON. Written by hand because Node's own client neither
 * shows the authority section nor lets one choose UDP or TCP.
 *
 * dns-client.ts '{"server": "192.168.100.2", "port": 53, "source": "192.168.100.10", "questions": ["udp api.example.com A", ...]}'
 */
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';

export interface Answer {
  readonly rcode: string;
  readonly authoritative: boolean;
  readonly answer: readonly string[];
  readonly authority: readonly string[];
}

interface Task {
  readonly server: string;
  readonly source: string;
  readonly questions: readonly string[];
}

const TYPES: Readonly<Record<string, number>> = { A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, HINFO: 13, TXT: 16, AAAA: 28, DS: 43, ANY: 255 };
const RCODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];
const TIMEOUT_MS = 3000;

const encodeName = (name: string): Buffer =>
  Buffer.concat([...name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])), Buffer.from([0])]);

function question(name: string, type: string): Buffer {
  const header = Buffer.from([0x12, 0x34, 0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([header, encodeName(name), Buffer.from([0, TYPES[type] ?? 0, 0, 1])]);
}

class Reader {
  readonly #message: Buffer;
  at: number;

  constructor(message: Buffer, at: number) {
    this.#message = message;
    this.at = at;
  }

  uint(bytes: number): number {
    this.at += bytes;
    return this.#message.readUIntBE(this.at - bytes, bytes);
  }

  name(): string {
    const labels: string[] = [];
    for (let length = this.uint(1); length !== 0; length = this.uint(1)) {
      if (length >= 0xc0) return [...labels, new Reader(this.#message, ((length & 0x3f) << 8) | this.uint(1)).name()].join('.');
      labels.push(this.#message.toString('latin1', this.at, this.at + length));
      this.at += length;
    }
    return labels.join('.');
  }

  record(): string {
    const name = this.name();
    const code = this.uint(2);
    const type = Object.entries(TYPES).find(([, known]) => known === code)?.[0] ?? '?';
    this.at += 6; // class, TTL
    const end = this.uint(2) + this.at;
    const value = this.#value(type, end);
    this.at = end;
    return `${name} ${type} ${value}`;
  }

  #value(type: string, end: number): string {
    const data = this.#message.subarray(this.at, end);
    if (type === 'A') return data.join('.');
    if (type === 'AAAA') return (data.toString('hex').match(/.{4}/g) ?? []).join(':');
    if (type === 'SOA') return [this.name(), this.name(), this.uint(4)].join(' ');
    return ['CNAME', 'PTR', 'NS'].includes(type) ? this.name() : data.toString('latin1').slice(1);
  }
}

function parse(message: Buffer): Answer {
  const reader = new Reader(message, 4);
  const [questions = 0, answers = 0, authorities = 0] = Array.from({ length: 4 }, () => reader.uint(2));
  for (let i = 0; i < questions; i++) {
    reader.name();
    reader.at += 4;
  }
  const records = (count: number) => Array.from({ length: count }, () => reader.record());
  return {
    rcode: RCODES[(message[3] ?? 0) & 0x0f] ?? '?',
    authoritative: ((message[2] ?? 0) & 0x04) !== 0,
    answer: records(answers),
    authority: records(authorities),
  };
}

function overUdp(server: string, source: string, message: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(server.includes(':') ? 'udp6' : 'udp4');
    const timer = setTimeout(() => finish(() => reject(new Error('no answer'))), TIMEOUT_MS);
    const finish = (then: () => void) => {
      clearTimeout(timer);
      socket.close();
      then();
    };
    socket.on('message', (reply) => finish(() => resolve(reply)));
    socket.on('error', (error) => finish(() => reject(error)));
    socket.bind({ address: source }, () => socket.send(message, 53, server));
  });
}

function overTcp(server: string, source: string, message: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: server, port: 53, localAddress: source });
    let received = Buffer.alloc(0);
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no answer')));
    socket.on('error', reject);
    socket.on('connect', () => socket.write(Buffer.concat([Buffer.from([message.length >> 8, message.length & 0xff]), message])));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      socket.destroy();
      resolve(received.subarray(2));
    });
  });
}

const { server, source, questions } = JSON.parse(process.argv[2] ?? '') as Task;
const ask = async (text: string): Promise<readonly [string, Answer | string]> => {
  const [transport = '', name = '', type = ''] = text.split(' ');
  const message = question(name, type);
  try {
    return [text, parse(await (transport === 'tcp' ? overTcp : overUdp)(server, source, message))];
  } catch (error) {
    return [text, (error as Error).message];
  }
};
console.log(JSON.stringify(Object.fromEntries(await Promise.all(questions.map(ask)))));
