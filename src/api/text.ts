import { createHash } from 'node:crypto';
import * as z from 'zod';

/** The forms of text that the API accepts. None of them can hold a line break, a quote or a blank. */
const LABEL = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
const LABEL_RE = new RegExp(`^${LABEL}$`);
const NAME_RE = new RegExp(`^${LABEL}(\\.${LABEL})*$`);

export const isDnsLabel = (text: string): boolean => LABEL_RE.test(text);
export const isDnsName = (text: string): boolean => text.length <= 253 && NAME_RE.test(text);
export const isWildcardName = (text: string): boolean => text.startsWith('*.') && isDnsName(text.slice(2));

export const identifier = z.string().max(63).regex(LABEL_RE, 'must be a DNS label: lower-case letters, digits and -');
export const resourceName = z.string().max(253).regex(NAME_RE, 'must be a DNS name: lower-case letters, digits, - and .');

export const dnsName = ({ wildcard }: { readonly wildcard: boolean }) =>
  z
    .string()
    .min(1)
    .max(253)
    .regex(
      new RegExp(`^${wildcard ? '(\\*\\.)?' : ''}${LABEL}(\\.${LABEL})*$`),
      `must be a DNS name in lower case${wildcard ? ', or *. and one' : ''}`,
    );

const MAX_LABEL = 63;

/**
 * A name of at most 63 characters that is still unique: a longer one keeps its beginning and gets a hash of the whole.
 * Used for every object name and namespace that we compose.
 */
export function shortName(...parts: readonly string[]): string {
  const whole = parts.join('-');
  if (whole.length <= MAX_LABEL) return whole;
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, 8);
  return `${whole.slice(0, MAX_LABEL - hash.length - 1).replace(/[-.]+$/, '')}-${hash}`;
}
