import type { OptionData } from './kea-config.ts';
import type { DhcpOption } from './tenant-plan.ts';

/**
 * DHCPv4 options for which Kea has no definition, as ranges of their codes (as 2.6.3 has them; 3.0 added 122). Of these it takes no csv value, but it does
 * take the bytes themselves.
 */
const UNDEFINED: readonly (readonly [first: number, last: number])[] = [
  [80, 80],
  [83, 84],
  [95, 96],
  [102, 107],
  [109, 111],
  [115, 115],
  [120, 120],
  [122, 123],
  [126, 135],
  [139, 140],
  [142, 142],
  [144, 145],
  [147, 150],
  [158, 158],
  [160, 161],
  [163, 211],
  [214, 254],
];

const HEX = /^0x([0-9a-f]{2})+$/i;
/** What may stand between Kea's single quotes: all of printable ASCII but the quote and the backslash. */
const PLAIN = /^[\x20-\x26\x28-\x5b\x5d-\x7e]+$/;

/** By code and not by name: 121 had no name before 2.5.5, and a name that Kea does not know refuses the whole file. */
export function optionData({ code, data }: DhcpOption): OptionData {
  if (HEX.test(data)) return { code, 'csv-format': false, data };
  if (!PLAIN.test(data))
    throw new Error(`DHCP option ${code}: ${JSON.stringify(data)} holds a quote, a backslash or an unprintable character`);
  if (UNDEFINED.some(([first, last]) => first <= code && code <= last)) return { code, 'csv-format': false, data: `'${data}'` };
  return { code, 'csv-format': true, data };
}
