import { createHash } from 'node:crypto';
import { isDnsName, isWildcardName } from '../api/text.ts';
import { addressOf, formatAddress } from '../net/ip.ts';
import type { NameRecord } from './tenant-plan.ts';

/** One zone in the master file format of RFC 1035. */
export interface ZoneFile {
  readonly origin: string;
  /** The servers of the zone, by name; the first one is the SOA's. */
  readonly servers: readonly [string, ...string[]];
  /** Where a person may write to, as a name. */
  readonly contact: string;
  readonly records: readonly NameRecord[];
}

/** The VIP never moves to another address, but names of machines come and go with them. */
const TTL = 60;
/** How long "no such name" may be remembered: a worker that asks a moment too early must not fail for a minute. */
const NEGATIVE_TTL = 5;

/**
 * The serial is a hash of everything else in the zone, so it changes exactly when the zone does: CoreDNS reads a zone again when its serial
 * differs, and whoever asks for the SOA learns which content is being served. Nobody transfers these zones, so their order does not matter.
 */
export function writeZone(zone: ZoneFile): string {
  return zoneText(zone, zoneSerial(zone));
}

/** The serial under which the zone is served. */
export const zoneSerial = (zone: ZoneFile): number => createHash('sha256').update(zoneText(zone, 0)).digest().readUInt32BE(0);

function zoneText(zone: ZoneFile, serial: number): string {
  const [primary] = zone.servers;
  const ns = zone.servers.map((server) => [fqdn(zone.origin), TTL, 'IN', 'NS', fqdn(server)]);
  const records = zone.records.map((record) => [owner(record.name, zone.origin), TTL, 'IN', record.type, value(record)]);
  const soa = [fqdn(zone.origin), TTL, 'IN', 'SOA', fqdn(primary), fqdn(zone.contact), serial, 3600, 600, 86_400, NEGATIVE_TTL];
  return [soa, ...ns, ...records].map((fields) => `${fields.join(' ')}\n`).join('');
}

function owner(name: string, origin: string): string {
  if (name !== origin && !name.endsWith(`.${origin}`)) throw new Error(`${name} is not in the zone ${origin}`);
  return isWildcardName(name) ? `*.${fqdn(name.slice(2))}` : fqdn(name);
}

function fqdn(name: string): string {
  if (!isDnsName(name)) throw new Error(`${JSON.stringify(name)} is not a DNS name`);
  return `${name}.`;
}

function value(record: NameRecord): string {
  if ('address' in record) return address(record);
  return record.type === 'TXT' ? characterStrings(record.target) : fqdn(record.target);
}

function address({ name, type, address: text }: Extract<NameRecord, { address: string }>): string {
  const parsed = addressOf(text);
  if ((parsed.family === 'ipv4') !== (type === 'A')) throw new Error(`${name}: ${text} is not an address for a record of type ${type}`);
  return formatAddress(parsed);
}

const PRINTABLE = /^[\x20-\x7e]+$/;
const LONGEST_STRING = 255;

/** Quoted, so that blanks and semicolons are only text; in pieces, because one string holds 255 characters. */
function characterStrings(text: string): string {
  if (!PRINTABLE.test(text)) throw new Error(`${JSON.stringify(text)} cannot be written as a TXT record`);
  const pieces = Array.from({ length: Math.ceil(text.length / LONGEST_STRING) }, (_, i) =>
    text.slice(i * LONGEST_STRING, (i + 1) * LONGEST_STRING),
  );
  return pieces.map((piece) => `"${piece.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(' ');
}
