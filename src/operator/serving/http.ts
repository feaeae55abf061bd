/** The two small servers beside the controllers: metrics and health. Eight routes need no framework. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { aborted } from '../../kube/clock.ts';
import type { Runnable } from '../../kube/manager.ts';
import type { Logger } from '../../kube/telemetry.ts';

export interface Reply {
  readonly code: number;
  readonly contentType?: string;
  readonly body: string;
}

export type Routes = Readonly<Record<string, () => Reply | Promise<Reply>>>;

export interface Listen {
  readonly host: string;
  readonly port: number;
}

/** Serves until the signal. `onListening` tells the port, for those who asked for any. */
export const httpServer = (
  name: string,
  { host, port }: Listen,
  routes: Routes,
  log: Logger,
  onListening: (port: number) => void = () => {},
): Runnable => ({
  name,
  async run(signal) {
    const server = createServer((request, response) => {
      const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
      void answer(routes, request.method ?? 'GET', path, log).then(({ code, contentType = 'text/plain; charset=utf-8', body }) => {
        response.writeHead(code, { 'content-type': contentType, 'cache-control': 'no-store' }).end(body);
      });
    });
    // Slow and idle clients must not pile up: nobody needs more than a second for such a request.
    server.requestTimeout = 10_000;
    server.headersTimeout = 5_000;
    server.listen(port, host);
    await once(server, 'listening');
    const address = server.address();
    if (typeof address === 'object' && address) onListening(address.port);
    log.info({ server: name, address }, 'listening');
    await aborted(signal);
    await close(server);
  },
});

async function answer(routes: Routes, method: string, path: string, log: Logger): Promise<Reply> {
  const route = routes[path];
  if (route === undefined) return { code: 404, body: 'not found\n' };
  if (method !== 'GET' && method !== 'HEAD') return { code: 405, body: 'only GET\n' };
  try {
    return await route();
  } catch (error) {
    log.error({ err: error, path }, 'a request could not be answered');
    return { code: 500, body: 'internal error\n' };
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
