import { expect, test } from 'vitest';
import { parseHost, splitHostPort } from './host.ts';

test('a host is a name or an address in its one spelling', () => {
  expect(['api.blue.example.com', 'gw', '192.168.100.3', 'FD00:100:0::3', '3com.example'].map(parseHost)).toEqual([
    { kind: 'name', text: 'api.blue.example.com' },
    { kind: 'name', text: 'gw' },
    { kind: 'ip', text: '192.168.100.3' },
    { kind: 'ip', text: 'fd00:100::3' },
    { kind: 'name', text: '3com.example' },
  ]);
});

test('what is neither is no host', () => {
  const texts = [
    '',
    '.',
    'a..b',
    'A.example.com',
    'a b',
    'a\n',
    '"',
    '-a.example.com',
    '1.2.3',
    '1.2.3.400',
    '010.0.0.1',
    '42',
    'localhost',
    `${'a'.repeat(64)}.example.com`,
  ];
  expect(texts.filter((text) => parseHost(text) !== undefined)).toEqual([]);
});

test('a port is split off as HyperShift joins it', () => {
  expect(
    [
      'ignition.example.com',
      'ignition.example.com:30004',
      '192.168.100.3:30004',
      '[fd00::3]:30004',
      'fd00::3',
      'x:0',
      'x:65536',
      'x:',
      ':5',
      '',
    ].map(splitHostPort),
  ).toEqual([
    { host: 'ignition.example.com', port: undefined },
    { host: 'ignition.example.com', port: 30004 },
    { host: '192.168.100.3', port: 30004 },
    { host: 'fd00::3', port: 30004 },
    { host: 'fd00::3', port: undefined },
    { host: 'x:0', port: undefined },
    { host: 'x:65536', port: undefined },
    { host: 'x:', port: undefined },
    { host: '', port: 5 },
    { host: '', port: undefined },
  ]);
});
