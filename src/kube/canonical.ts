/** One text per value, whatever the order its keys were written in, and a short hash of it. */
import { createHash } from 'node:crypto';

/**
 * JSON with sorted keys. What JSON drops is dropped (undefined members), what JSON turns into null is null, so that
 * a value and its trip over the wire have the same text.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if ('toJSON' in value && typeof value.toJSON === 'function') return canonicalJson(value.toJSON());
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined || typeof member === 'function') continue;
    members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}

/** 22 characters (128 bits) that stand for the value: short enough to keep tens of thousands of them. */
export function hashOf(value: unknown): string {
  // Cut as bytes: a slice of the text would keep the whole of it in memory.
  return createHash('sha256').update(canonicalJson(value)).digest().toString('base64url', 0, 16);
}
