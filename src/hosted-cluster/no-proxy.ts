import { contains, readCidr } from '../net/cidr.ts';
import { addressOf, familyOf } from '../net/ip.ts';

export const parseNoProxy = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '');

/** Go's rule (golang.org/x/net/http/httpproxy): a name matches itself and everything below it; a network matches address literals only. */
export function coversHost(noProxy: readonly string[], host: string): boolean {
  if (noProxy.includes('*')) return true;
  if (familyOf(host) !== undefined) {
    return noProxy.some((entry) => {
      const network = readCidr(entry);
      return entry === host || (network !== undefined && contains(network, addressOf(host)));
    });
  }
  return noProxy.some((entry) => {
    const domain = entry.replace(/^\*?\./, '');
    // A leading dot covers what is below the domain, and not the domain itself.
    return host.endsWith(`.${domain}`) || (host === domain && !entry.startsWith('.') && !entry.startsWith('*.'));
  });
}
