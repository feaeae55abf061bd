/** Asks one server many questions, over UDP or TCP as told: Node's own resolver does not let one choose, nor does it show a serial. */
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import packet, { type DecodedPacket, type Packet, type Question } from 'dns-packet';

export type Protocol = 'udp' | 'tcp';
/** By the place of the question; undefined where no answer came. */
export type Answers = readonly (DecodedPacket | undefined)[];

const PORT = 53;
const PATIENCE_MS = 2500;
/** UDP may lose a packet. */
const AGAIN_MS = 800;

export async function ask(server: string, protocol: Protocol, questions: readonly Question[]): Promise<Answers> {
  const answers: (DecodedPacket | undefined)[] = questions.map(() => undefined);
  if (questions.length === 0) return answers;
  const take = (message: Buffer): boolean => {
    const decoded = decode(message);
    // The id is the place of the question, and the question comes back with the answer: both have to fit.
    const place = (decoded?.id ?? 0) - 1;
    const asked = questions[place];
    const [repeated] = decoded?.questions ?? [];
    if (decoded?.type === 'response' && asked && repeated?.name.toLowerCase() === asked.name && repeated.type === asked.type) {
      answers[place] = decoded;
    }
    return answers.every((answer) => answer !== undefined);
  };
  const message = (question: Question, place: number): Packet => ({
    type: 'query',
    id: place + 1,
    flags: packet.RECURSION_DESIRED,
    questions: [question],
  });
  const open = () =>
    questions.flatMap((question, place) => (answers[place] === undefined ? [packet.encode(message(question, place))] : []));
  if (protocol === 'tcp')
    await overTcp(
      server,
      questions.map((question, place) => packet.streamEncode(message(question, place))),
      take,
    );
  else await overUdp(server, open, take);
  return answers;
}

function decode(message: Buffer): DecodedPacket | undefined {
  try {
    return packet.decode(message);
  } catch {
    return undefined;
  }
}

type Take = (message: Buffer) => boolean;

function overUdp(server: string, open: () => readonly Buffer[], take: Take): Promise<void> {
  return new Promise((resolve) => {
    const socket = createSocket(server.includes(':') ? 'udp6' : 'udp4');
    const send = () => {
      for (const message of open()) socket.send(message, PORT, server, () => {});
    };
    const again = setTimeout(send, AGAIN_MS);
    const done = () => {
      clearTimeout(again);
      clearTimeout(end);
      socket.close();
      resolve();
    };
    const end = setTimeout(done, PATIENCE_MS);
    socket.on('message', (message, { address }) => {
      if (address === server && take(message)) done();
    });
    // Refused by the far side: there will be no answer, and the deadline is the same for all.
    socket.on('error', () => {});
    send();
  });
}

function overTcp(server: string, messages: readonly Buffer[], take: Take): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: server, port: PORT });
    let received = Buffer.alloc(0);
    const done = () => {
      clearTimeout(end);
      socket.destroy();
      resolve();
    };
    const end = setTimeout(done, PATIENCE_MS);
    socket.on('error', done);
    socket.on('close', done);
    socket.on('connect', () => socket.write(Buffer.concat(messages)));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const length = 2 + received.readUInt16BE(0);
        if (take(received.subarray(2, length))) return done();
        received = received.subarray(length);
      }
    });
  });
}
