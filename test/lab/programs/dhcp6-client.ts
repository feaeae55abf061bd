/**
 * `dhcp6-client.ts DEVICE MAC`: takes an address by DHCPv6 as a machine of the segment does, in all four steps (SOLICIT, ADVERTISE, REQUEST,
 * REPLY), and prints what it was given. The lab's workers have busybox, whose client knows IPv4 only.
 */
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type Advertisement, readAdvertisement, solicit } from '../../../src/prober/dhcp6-message.ts';

export type Leased = Pick<Advertisement, 'addresses' | 'resolvers'>;

const [, , device = '', mac = ''] = process.argv;
const [ADVERTISE, REQUEST, REPLY] = [2, 3, 7];
const PATIENCE_MS = 60_000;
/** Option 6 with 23 and 24: a server tells of resolvers and domains only when it is asked for them. */
const ASKED = Buffer.from([0, 6, 0, 4, 0, 23, 0, 24]);

const linkLocal = networkInterfaces()[device]?.find(({ family, address }) => family === 'IPv6' && address.startsWith('fe80:'))?.address;
if (linkLocal === undefined) throw new Error(`${device} has no link-local address`);
const socket = createSocket({ type: 'udp6', ipv6Only: true });
socket.bind(546, `${linkLocal}%${device}`);
await once(socket, 'listening');

/** Asks every second until somebody answers with a message of that kind. */
async function exchange(question: Buffer, answer: number): Promise<Buffer> {
  const heard = Promise.withResolvers<Buffer>();
  const listen = (message: Buffer) => {
    if (message[0] === answer && message.subarray(1, 4).equals(question.subarray(1, 4))) heard.resolve(message);
  };
  socket.on('message', listen);
  const giveUpAt = performance.now() + PATIENCE_MS;
  try {
    for (;;) {
      socket.send(question, 547, `ff02::1:2%${device}`);
      const found = await Promise.race([heard.promise, pause(1000)]);
      if (found !== undefined) return found;
      if (performance.now() > giveUpAt) throw new Error(`nobody answers message ${question[0]}`);
    }
  } finally {
    socket.off('message', listen);
  }
}

const advertised = await exchange(solicit(mac, randomInt(2 ** 24)), ADVERTISE);
// A request names the client, the server and the address as the server itself has named them.
const reply = await exchange(Buffer.concat([Buffer.from([REQUEST]), advertised.subarray(1), ASKED]), REPLY);
const read = readAdvertisement(Buffer.concat([Buffer.from([ADVERTISE]), reply.subarray(1)]));
const leased: Leased = { addresses: read?.addresses ?? [], resolvers: read?.resolvers ?? [] };
console.log(JSON.stringify(leased));
socket.close();
