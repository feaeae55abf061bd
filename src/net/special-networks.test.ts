import { expect, test } from 'vitest';
import { readCidr } from './cidr.ts';
import { specialNetworksIn } from './special-networks.ts';

const inside = (text: string): string[] => specialNetworksIn(readCidr(text) ?? expect.fail(text)).map((special) => special.text);

test('the usual private networks are free', () => {
  expect(['192.168.100.0/24', '10.129.4.0/24', '172.16.0.0/16', 'fd00:100::/64', '2001:db8::/64'].flatMap(inside)).toEqual([]);
});

test('a segment inside, around or across a special network is seen', () => {
  expect(inside('100.64.3.0/24')).toEqual(['100.64.0.0/16']);
  expect(inside('100.64.0.0/14')).toEqual(['100.64.0.0/16', '100.65.0.0/16', '100.66.0.0/16']);
  expect(inside('172.20.0.0/24')).toEqual(['172.20.0.1/32']);
  expect(inside('169.254.10.0/24')).toEqual(['169.254.0.0/17', '169.254.0.0/16']);
  expect(inside('fd00::/64')).toEqual(['fd00::1/128']);
  expect(inside('fd99::/64')).toEqual(['fd99::/64']);
  expect(inside('239.1.1.0/24')).toEqual(['224.0.0.0/4']);
});
