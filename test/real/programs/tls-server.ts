/**
 * Upstreams with certificates of their own, inside a network namespace. Accepts TLS until it is killed.
 *
 * tls-server.ts FILE      FILE: [{"host": "172.30.10.1", "port": 6443, "cert": PEM, "key": PEM}, ...]
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:tls';

interface Upstream {
  readonly host: string;
  readonly port: number;
  readonly cert: string;
  readonly key: string;
}

const upstreams = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as readonly Upstream[];
await Promise.all(
  upstreams.map(({ host, port, cert, key }) => {
    const server = createServer({ cert, key }, (socket) => socket.on('error', () => {}).resume());
    server.on('tlsClientError', () => {});
    return once(server.listen(port, host), 'listening');
  }),
);
console.log('listening');
