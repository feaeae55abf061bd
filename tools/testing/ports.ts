import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Free TCP ports on loopback that stay ours while a daemon is down between a kill and its restart: they lie below the range from
 * which the kernel takes ports for outgoing connections (32768 and up on Linux).
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (!ports.includes(port) && (await isFree(port))) ports.push(port);
  }
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
