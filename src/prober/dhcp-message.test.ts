import { expect, test } from 'vitest';
import { discover, optionText, readOffer } from './dhcp-message.ts';

const MAC = '02:00:00:00:01:05';

/** An offer as a server writes it: the question turned round, with an address and options. */
function offer(options: readonly (readonly [number, string])[], change: (message: Buffer) => Buffer = (message) => message): Buffer {
  const message = Buffer.from(discover(MAC, 0x01020304).subarray(0, 240));
  message[0] = 2;
  message.set([192, 168, 100, 10], 16);
  const bytes = options.flatMap(([code, hex]) => [code, hex.length / 2, ...Buffer.from(hex, 'hex')]);
  return change(Buffer.concat([message, Buffer.from([0, 0, ...bytes, 255])]));
}
const TYPE = [53, '02'] as const;
const SERVER = [54, 'c0a86402'] as const;

test('a question is addressed to anybody, wants its answer by broadcast and asks for what a plan can set', () => {
  const question = discover(MAC, 0x01020304);
  expect({
    head: question.subarray(0, 12).toString('hex'),
    chaddr: question.subarray(28, 34).toString('hex'),
    rest: question.subarray(236).toString('hex'),
  }).toEqual({
    head: '010106000102030400008000',
    chaddr: '020000000105',
    rest: '6382536335010137090103060f1a2a337779ff',
  });
});

test('an offer is read, with the options in pieces put together', () => {
  const read = readOffer(offer([TYPE, SERVER, [15, '626c7565'], [15, '2e6578']]));
  expect(read && { ...read, options: [...read.options].map(([code, value]) => [code, value.toString('hex')]) }).toEqual({
    transaction: 0x01020304,
    mac: MAC,
    address: '192.168.100.10',
    server: '192.168.100.2',
    options: [
      [53, '02'],
      [54, 'c0a86402'],
      [15, '626c75652e6578'],
    ],
  });
});

test.each([
  ['an acknowledgement', offer([[53, '05'], SERVER])],
  ['one without the name of its server', offer([TYPE])],
  ['a question', discover(MAC, 1)],
  ['a piece of one', offer([TYPE, SERVER]).subarray(0, 100)],
  ['an option that is longer than the message', offer([TYPE, SERVER], (message) => message.subarray(0, -2))],
  ['another protocol', offer([TYPE, SERVER], (message) => message.fill(0, 236, 240))],
  ['nothing', Buffer.alloc(0)],
])('%s is no offer', (_, message) => {
  expect(readOffer(message)).toBeUndefined();
});

test('options read as the plan writes them', () => {
  const text = (code: number, hex: string) => optionText(code, Buffer.from(hex, 'hex'));
  expect([
    text(3, 'c0a86401'),
    text(6, 'c0a86402c0a86404'),
    text(15, '626c75652e6578616d706c652e636f6d00'),
    text(26, '2328'),
    text(121, '00c0a86401'),
    text(121, '18c0a8c8c0a8640100c0a86401'),
    text(121, '21c0a86401'),
  ]).toEqual([
    '192.168.100.1',
    '192.168.100.2, 192.168.100.4',
    'blue.example.com',
    '9000',
    '0.0.0.0/0 - 192.168.100.1',
    '192.168.200.0/24 - 192.168.100.1, 0.0.0.0/0 - 192.168.100.1',
    '0x21c0a86401',
  ]);
});
