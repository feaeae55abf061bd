import { expect, test } from 'vitest';
import { optionData } from './kea-options.ts';

const option = (code: number, data: string) => optionData({ code, name: 'any', data });

test('options that Kea knows are written as a person reads them', () => {
  expect(option(121, '0.0.0.0/0 - 192.168.100.1')).toEqual({ code: 121, 'csv-format': true, data: '0.0.0.0/0 - 192.168.100.1' });
  expect(option(66, 'tftp.example.com')).toEqual({ code: 66, 'csv-format': true, data: 'tftp.example.com' });
});

test('of options that Kea does not know it gets the bytes', () => {
  expect(option(224, 'a private one, with a comma')).toEqual({ code: 224, 'csv-format': false, data: "'a private one, with a comma'" });
});

test('bytes can be given as hexadecimal digits for any option', () => {
  expect(option(43, '0x0104c0a86401')).toEqual({ code: 43, 'csv-format': false, data: '0x0104c0a86401' });
  expect(option(224, '0xFF')).toEqual({ code: 224, 'csv-format': false, data: '0xFF' });
  expect(option(224, '0xF')).toEqual({ code: 224, 'csv-format': false, data: "'0xF'" });
});

test('a value that could end the quotes, or that nobody could read in a log, is refused', () => {
  for (const data of ["it's", 'a\\b', 'two\nlines', 'ünprintable', '']) expect(() => option(224, data), data).toThrow('DHCP option 224');
});
