import { isDnsName } from '../api/text.ts';
import { formatAddress, parseAddress } from '../net/ip.ts';

/** What workers dial. A name can be redirected by DNS on the segment, an address cannot. */
export type Host = { readonly kind: 'name' | 'ip'; readonly text: string } | { readonly kind: 'unknown'; readonly text: null };

export const unknownHost: Host = { kind: 'unknown', text: null };

/**
 * Reads a published host; nothing when it is neither name nor address. A last label of digits only makes resolvers read the whole as an
 * IPv4 address (192.168.100.300), and localhost never leaves the worker: neither is a name that DNS is asked for.
 */
export function parseHost(text: string): Host | undefined {
  const address = parseAddress(text);
  if (address) return { kind: 'ip', text: formatAddress(address) };
  return isDnsName(text) && text !== 'localhost' && !/(^|\.)\d+$/.test(text) ? { kind: 'name', text } : undefined;
}

/** Splits `host`, `host:port` and `[v6]:port`, as HyperShift joins them. A port that is none leaves the text whole, to be refused as a host. */
export function splitHostPort(text: string): { readonly host: string; readonly port: number | undefined } {
  const match = /^(?:\[([^\]]*)\]|([^:]*)):([1-9]\d{0,4})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) return { host: text, port: undefined };
  return { host: match[1] ?? match[2] ?? '', port };
}
