import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FindingCode } from '../../src/api/finding-catalogue.ts';

/**
 * One way of getting the input wrong: how the files of examples/blue differ, and what hcpio must say to it. A text replaces or adds a file,
 * a function changes it, null takes it away.
 */
export interface BadInput {
  readonly name: string;
  readonly files: Readonly<Record<string, string | Uint8Array | null | ((text: string) => string)>>;
  readonly code: FindingCode;
  /** `file:line` where a person has to change something; only findings about the input as a whole have none. */
  readonly at: string | undefined;
  /** A part of the message. */
  readonly says: string;
}

export const EXAMPLE = join(import.meta.dirname, '..', '..', 'examples', 'blue');
export const original: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(EXAMPLE).map((file) => [file, readFileSync(join(EXAMPLE, file), 'utf8')]),
);

export const TENANT = 'tenant-network.yaml';
export const CLUSTER = 'hosted-cluster.yaml';
export const CONTROL_PLANE = 'control-plane.yaml';
export const ATTACHMENT = 'attachment.yaml';

/** Replaces a text that must be there, so that a case cannot go stale without a word. */
export const replace = (from: string, to: string) => (text: string) => {
  if (!text.includes(from)) throw new Error(`the example does not hold ${JSON.stringify(from)}`);
  return text.replace(from, to);
};
export const append = (more: string) => (text: string) => `${text}${more}`;
/** Adds to spec.segment of the TenantNetwork, from its line 10 on. */
export const segment = (more: string) => append(`    ${more}\n`);
/** Adds to spec of the TenantNetwork, from its line 10 on. */
export const spec = (more: string) => append(`  ${more}\n`);
