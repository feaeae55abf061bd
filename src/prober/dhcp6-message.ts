/** As much of DHCPv6 (RFC 8415) as it takes to ask for advertisements and to read them. */
import { formatAddress } from '../net/ip.ts';

const [SOLICIT, ADVERTISE] = [1, 2];
const OPTION = { clientId: 1, serverId: 2, identity: 3, address: 5, asked: 6, elapsed: 8, resolvers: 23, search: 24 } as const;

export interface Advertisement {
  readonly transaction: number;
  readonly addresses: readonly string[];
  readonly resolvers: readonly string[];
}

/** From a client that is named by its MAC, so that a server knows the machine by it. */
export function solicit(mac: string, transaction: number): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(transaction & 0xffffff);
  head[0] = SOLICIT;
  const identity = Buffer.alloc(12);
  identity.writeUInt32BE(1);
  return Buffer.concat([
    head,
    // A DUID of type 3: the link-layer address, of Ethernet.
    option(OPTION.clientId, Buffer.concat([Buffer.from([0, 3, 0, 1]), Buffer.from(mac.replaceAll(':', ''), 'hex')])),
    option(OPTION.identity, identity),
    option(OPTION.asked, Buffer.from([0, OPTION.resolvers, 0, OPTION.search])),
    option(OPTION.elapsed, Buffer.alloc(2)),
  ]);
}

function option(code: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(code);
  head.writeUInt16BE(value.length, 2);
  return Buffer.concat([head, value]);
}

/** Undefined for everything that is no well-formed advertisement. */
export function readAdvertisement(message: Buffer): Advertisement | undefined {
  if (message.length < 4 || message[0] !== ADVERTISE) return undefined;
  const options = readOptions(message.subarray(4));
  if (options === undefined || !options.has(OPTION.serverId)) return undefined;
  const inside = readOptions(options.get(OPTION.identity)?.subarray(12) ?? Buffer.alloc(0));
  const given = inside?.get(OPTION.address);
  return {
    transaction: message.readUInt32BE() & 0xffffff,
    addresses: given && given.length >= 16 ? [address(given)] : [],
    resolvers: addresses(options.get(OPTION.resolvers) ?? Buffer.alloc(0)),
  };
}

function readOptions(bytes: Buffer): Map<number, Buffer> | undefined {
  const options = new Map<number, Buffer>();
  for (let at = 0; at < bytes.length; ) {
    if (at + 4 > bytes.length) return undefined;
    const length = bytes.readUInt16BE(at + 2);
    if (at + 4 + length > bytes.length) return undefined;
    options.set(bytes.readUInt16BE(at), bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return options;
}

const address = (bytes: Buffer): string =>
  formatAddress({ family: 'ipv6', value: bytes.subarray(0, 16).reduce((value, byte) => (value << 8n) | BigInt(byte), 0n) });

const addresses = (value: Buffer): string[] =>
  Array.from({ length: Math.floor(value.length / 16) }, (_, i) => address(value.subarray(i * 16, i * 16 + 16)));
