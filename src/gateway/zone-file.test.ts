import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { NameRecord } from './tenant-plan.ts';
import { writeZone, type ZoneFile } from './zone-file.ts';

const zone = (records: readonly NameRecord[], rest: Partial<ZoneFile> = {}): ZoneFile => ({
  origin: 'example.com',
  servers: ['edge-a.example.com', 'edge-b.example.com'],
  contact: 'hostmaster.example.com',
  records,
  ...rest,
});
const api: NameRecord = { name: 'api.example.com', type: 'A', address: '192.168.100.3' };

const serialOf = (text: string): number => Number(text.split(' ')[6]);
const recordsOf = (text: string): string[] => text.trimEnd().split('\n').slice(3);

test('a zone has its SOA, its servers and its records, all with full names', () => {
  const records: NameRecord[] = [
    api,
    { name: 'api.example.com', type: 'AAAA', address: 'FD00:0::3' },
    { name: '*.apps.example.com', type: 'A', address: '192.168.100.3' },
    { name: 'example.com', type: 'TXT', target: 'say "hi"; c:\\' },
    { name: 'www.example.com', type: 'CNAME', target: 'www.example.org' },
  ];
  const text = writeZone(zone(records));
  expect(text).toBe(
    [
      `example.com. 60 IN SOA edge-a.example.com. hostmaster.example.com. ${serialOf(text)} 3600 600 86400 5`,
      'example.com. 60 IN NS edge-a.example.com.',
      'example.com. 60 IN NS edge-b.example.com.',
      'api.example.com. 60 IN A 192.168.100.3',
      'api.example.com. 60 IN AAAA fd00::3',
      '*.apps.example.com. 60 IN A 192.168.100.3',
      String.raw`example.com. 60 IN TXT "say \"hi\"; c:\\"`,
      'www.example.com. 60 IN CNAME www.example.org.',
      '',
    ].join('\n'),
  );
});

test('the serial changes exactly when something of the zone does', () => {
  const before = writeZone(zone([api]));
  const changes: ZoneFile[] = [
    zone([{ ...api, address: '192.168.100.4' }]),
    zone([{ ...api, name: 'api-int.example.com' }]),
    zone([]),
    zone([api], { servers: ['edge-a.example.com'] }),
    zone([api], { contact: 'root.example.com' }),
  ];
  expect(writeZone(zone([{ ...api }]))).toBe(before);
  const serials = changes.map((changed) => serialOf(writeZone(changed)));
  expect(new Set([serialOf(before), ...serials]).size).toBe(1 + changes.length);
});

test('a serial fits into the 32 bits that it has', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const serial = serialOf(writeZone(zone([{ ...api, address }])));
      expect(Number.isInteger(serial) && serial >= 0 && serial < 2 ** 32).toBe(true);
    }),
  );
});

test('a long text is cut into strings of 255 characters', () => {
  const [record] = recordsOf(writeZone(zone([{ name: 'example.com', type: 'TXT', target: 'x'.repeat(300) }])));
  expect(record).toBe(`example.com. 60 IN TXT "${'x'.repeat(255)}" "${'x'.repeat(45)}"`);
});

test('whatever a TXT record says, it stays one line and one record', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (target) => {
      let text: string;
      try {
        text = writeZone(zone([{ name: 'example.com', type: 'TXT', target }]));
      } catch {
        return;
      }
      const [record, ...more] = recordsOf(text);
      expect(more).toEqual([]);
      expect(record).toMatch(/^example\.com\. 60 IN TXT(?: "(?:[^"\\]|\\["\\])*")+$/);
    }),
  );
});

test.each<[string, NameRecord]>([
  ['a name of another zone', { ...api, name: 'api.example.org' }],
  ['a name that only ends like the zone', { ...api, name: 'badexample.com' }],
  ['a name with a blank', { ...api, name: 'a b.example.com' }],
  ['a directive', { ...api, name: '$include.example.com' }],
  ['a name with a line break', { ...api, name: 'a\nb.example.com' }],
  ['an address of the other family', { ...api, address: 'fd00::3' }],
  ['an address that is none', { ...api, address: '192.168.100.3 ; x' }],
  ['a target that is no name', { name: 'www.example.com', type: 'CNAME', target: 'a b' }],
])('%s is refused', (_, record) => {
  expect(() => writeZone(zone([record]))).toThrow();
});
