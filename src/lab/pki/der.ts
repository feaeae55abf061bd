/** The little of DER that an X.509 certificate is written in. */
import { isIPv6 } from 'node:net';

const tagged = (tag: number, content: Buffer): Buffer => Buffer.concat([Buffer.from([tag]), length(content.length), content]);

function length(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size]);
  const bytes: number[] = [];
  for (let rest = size; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
export const setOf = (...parts: readonly Buffer[]): Buffer => tagged(0x31, Buffer.concat(parts));
export const octets = (content: Buffer): Buffer => tagged(0x04, content);
export const text = (value: string): Buffer => tagged(0x0c, Buffer.from(value));
export const boolean = (value: boolean): Buffer => tagged(0x01, Buffer.from([value ? 0xff : 0]));
/** `[n] EXPLICIT` */
export const explicit = (n: number, content: Buffer): Buffer => tagged(0xa0 | n, content);
/** `[n] IMPLICIT` of a primitive type */
export const implicit = (n: number, content: Buffer): Buffer => tagged(0x80 | n, content);

/** The content is aligned to bytes unless `unused` bits of the last one do not count. */
export const bits = (content: Buffer, unused = 0): Buffer => tagged(0x03, Buffer.concat([Buffer.from([unused]), content]));

/** Unsigned: a leading bit would read as a minus, so a zero goes before it. */
export function integer(bytes: Buffer): Buffer {
  return tagged(0x02, (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): readonly number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

/** GeneralizedTime where UTCTime has run out of years. */
export function time(date: Date): Buffer {
  const digits = date
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[-:T]/g, '');
  return date.getUTCFullYear() < 2050 ? tagged(0x17, Buffer.from(digits.slice(2))) : tagged(0x18, Buffer.from(digits));
}

export function addressBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const words = (part: string) => (part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16)));
  const [left, right] = [words(head), words(tail ?? '')];
  const gap = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => 0);
  return Buffer.from([...left, ...gap, ...right].flatMap((word) => [word >>> 8, word & 0xff]));
}
