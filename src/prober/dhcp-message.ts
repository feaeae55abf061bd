/** As much of DHCPv4 (RFC 2131, 2132, 3442) as it takes to ask for offers and to read them. */

const COOKIE = 0x63825363;
const FIXED = 236;
const [REQUEST, REPLY] = [1, 2];
const [DISCOVER, OFFER] = [1, 2];
const BROADCAST = 0x8000;
const [PAD, END] = [0, 255];
/** Subnet mask, and everything that a plan can set by itself. */
const ASKED_FOR = [1, 3, 6, 15, 26, 42, 51, 119, 121];

export interface Offer {
  readonly transaction: number;
  readonly mac: string;
  readonly address: string;
  /** By its identifier (option 54). */
  readonly server: string;
  readonly options: ReadonlyMap<number, Buffer>;
}

/** A question for any server that hears it. The answer is wanted by broadcast: one that is sent to an address that we do not have gets lost. */
export function discover(mac: string, transaction: number): Buffer {
  const fixed = Buffer.alloc(FIXED + 4);
  fixed.set([REQUEST, 1, 6, 0]);
  fixed.writeUInt32BE(transaction, 4);
  fixed.writeUInt16BE(BROADCAST, 10);
  fixed.set(Buffer.from(mac.replaceAll(':', ''), 'hex'), 28);
  fixed.writeUInt32BE(COOKIE, FIXED);
  return Buffer.concat([fixed, Buffer.from([53, 1, DISCOVER, 55, ASKED_FOR.length, ...ASKED_FOR, END])]);
}

/** Undefined for everything that is no well-formed offer: anyone on the segment can send anything. */
export function readOffer(message: Buffer): Offer | undefined {
  if (message.length < FIXED + 4 || message[0] !== REPLY || message.readUInt32BE(FIXED) !== COOKIE) return undefined;
  const options = readOptions(message.subarray(FIXED + 4));
  const server = options?.get(54);
  if (options === undefined || options.get(53)?.[0] !== OFFER || server?.length !== 4) return undefined;
  return {
    transaction: message.readUInt32BE(4),
    mac: [...message.subarray(28, 34)].map((byte) => byte.toString(16).padStart(2, '0')).join(':'),
    address: message.subarray(16, 20).join('.'),
    server: server.join('.'),
    options,
  };
}

function readOptions(bytes: Buffer): Map<number, Buffer> | undefined {
  const options = new Map<number, Buffer>();
  for (let at = 0; at < bytes.length; ) {
    const code = bytes[at] ?? END;
    if (code === END) return options;
    if (code === PAD) {
      at += 1;
      continue;
    }
    const length = bytes[at + 1];
    if (length === undefined || at + 2 + length > bytes.length) return undefined;
    const value = bytes.subarray(at + 2, at + 2 + length);
    // An option that is longer than one piece can be comes in several (RFC 3396).
    options.set(code, Buffer.concat([options.get(code) ?? Buffer.alloc(0), value]));
    at += 2 + length;
  }
  return options;
}

/** An option as a plan writes it. */
export function optionText(code: number, value: Buffer): string {
  switch (code) {
    case 3:
    case 6:
    case 42:
      return addresses(value).join(', ');
    case 26:
      return value.length === 2 ? String(value.readUInt16BE()) : hex(value);
    case 121:
      return routes(value);
    default:
      return value.toString('latin1').replace(/\0+$/, '');
  }
}

const hex = (value: Buffer): string => `0x${value.toString('hex')}`;

const addresses = (value: Buffer): string[] =>
  Array.from({ length: Math.floor(value.length / 4) }, (_, i) => value.subarray(i * 4, i * 4 + 4).join('.'));

/** The prefix length, as many bytes of the network as that needs, and the router. */
function routes(value: Buffer): string {
  const found: string[] = [];
  for (let at = 0; at < value.length; ) {
    const prefix = value[at] ?? 0;
    const bytes = Math.ceil(prefix / 8);
    if (prefix > 32 || at + 1 + bytes + 4 > value.length) return hex(value);
    const network = Buffer.concat([value.subarray(at + 1, at + 1 + bytes), Buffer.alloc(4 - bytes)]);
    found.push(`${network.join('.')}/${prefix} - ${value.subarray(at + 1 + bytes, at + 5 + bytes).join('.')}`);
    at += 1 + bytes + 4;
  }
  return found.join(', ');
}
