/**
 * TLS through the gateway, from inside a network namespace.
 *
 * tls.ts listen HOST:PORT...            accepts connections until it is killed and answers each with HOST:PORT and the client that it sees
 * tls.ts dial HOST:PORT [NAME]...       prints, as JSON, who answered a ClientHello for each name (none: without a name, -: no TLS): HOST:PORT and
 *                                       the client as seen there, or closed
 * tls.ts echo HOST:PORT...              accepts connections and sends back what it gets
 * tls.ts hold HOST:PORT NAME            holds one connection open to an echo and says something over it all the time; prints how often it was
 *                                       answered, and `broken` when the connection ends
 */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';

const split = (text: string): { host: string; port: number } => {
  const at = text.lastIndexOf(':');
  return { host: text.slice(0, at).replaceAll(/[[\]]/g, ''), port: Number(text.slice(at + 1)) };
};

/** What a TLS client says first. Only that is sent: the far end answers it with its name and not with TLS. */
const clientHello = (servername: string | undefined): Promise<Buffer> =>
  new Promise((resolve) => {
    const socket = new Duplex({
      read: () => {},
      write: (chunk: Buffer, _, done) => {
        resolve(chunk);
        done();
      },
    });
    connectTls({ socket, ...(servername === undefined ? {} : { servername }) }).on('error', () => {});
  });

async function dial(target: string, name: string): Promise<readonly [string, string]> {
  const words = name === '-' ? Buffer.from('no TLS at all\r\n') : await clientHello(name === 'none' ? undefined : name);
  const chunks: Buffer[] = [];
  const socket = connect(split(target), () => socket.write(words));
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {});
  await new Promise((resolve) => socket.on('close', resolve));
  return [name, Buffer.concat(chunks).toString() || 'closed'];
}

const [mode, ...args] = process.argv.slice(2);
if (mode === 'listen') {
  const answer = (target: string) =>
    createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(`${target} from ${socket.remoteAddress}`));
    });
  await Promise.all(args.map((target) => once(answer(target).listen(split(target)), 'listening')));
  console.log('listening');
} else if (mode === 'echo') {
  const echo = () => createServer((socket) => socket.on('error', () => {}).pipe(socket));
  await Promise.all(args.map((target) => once(echo().listen(split(target)), 'listening')));
  console.log('listening');
} else if (mode === 'hold') {
  const [target = '', name = ''] = args;
  const hello = await clientHello(name);
  const socket = connect(split(target), () => socket.write(hello));
  let answers = 0;
  socket.on('data', () => console.log(`answered ${++answers}`)).on('error', () => {});
  socket.on('close', () => console.log('broken'));
  setInterval(() => socket.write('still there?'), 50);
} else {
  const [target = '', ...names] = args;
  console.log(JSON.stringify(Object.fromEntries(await Promise.all(names.map((name) => dial(target, name))))));
}
