import { familyOf } from '../net/ip.ts';

/**
 * The address of a resolver that is given as `address`, `address:port` or `[address]:port`; nothing for any other text: CoreDNS would take a path
 * for a file like the pod's own resolv.conf, and a name would be resolved by the hub.
 */
export function parseResolver(text: string): string | undefined {
  if (familyOf(text) !== undefined) return text;
  const [, v6, v4, port = '53'] = /^(?:\[([^\]]+)\](?=:|$)|([^:]+)(?=:))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address = v6 ?? v4 ?? '';
  return familyOf(address) !== undefined && Number(port) >= 1 && Number(port) <= 65_535 ? address : undefined;
}

/** As `parseResolver`, for a plan that the checks have passed. */
export function resolverAddress(text: string): string {
  const address = parseResolver(text);
  if (address === undefined) throw new Error(`${JSON.stringify(text)} is not the address of a resolver`);
  return address;
}
