/** What the gateway writes down of every connection (src/gateway/envoy-listener.ts), read again. Its own messages stand in the same log. */
import * as z from 'zod';

const text = z.string().nullish();
const bytes = z.number().nullish();

const line = z.looseObject({
  event: z.enum(['TcpUpstreamConnected', 'TcpConnectionEnd', 'Refused']),
  connection: z.number().optional(),
  start: z.string(),
  client: z.string(),
  listener: z.string(),
  sni: text,
  upstream: text,
  upstreamAddress: text,
  seenAs: text,
  bytesFromClient: bytes,
  bytesToClient: bytes,
  durationMs: bytes,
  flags: text,
  details: text,
});

/** All that stands in the line, also what a later version adds to it. */
export type AccessLine = z.output<typeof line>;

/** Undefined: it is one of Envoy's own messages. */
export function readAccessLine(said: string): AccessLine | undefined {
  if (!said.startsWith('{')) return undefined;
  try {
    return line.safeParse(JSON.parse(said)).data;
  } catch {
    return undefined;
  }
}

/** `192.168.100.10:51234` or `[fd00::10]:51234` -> the address. */
export const hostOf = (peer: string): string => peer.slice(0, peer.lastIndexOf(':')).replace(/^\[|\]$/g, '');
export const portOf = (peer: string): string => peer.slice(peer.lastIndexOf(':') + 1);
