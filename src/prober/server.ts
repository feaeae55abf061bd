/** Hands out the report: on the pod network for the operator, on loopback for `hcpio verify`, which comes by exec. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Watcher } from './watcher.ts';

export function reportServer(watcher: Watcher): Server {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://prober');
    if (request.method !== 'GET') return answer(response, 405, { message: 'only GET' });
    if (pathname === '/healthz') return answer(response, 200, { message: 'ok' });
    if (pathname !== '/report') return answer(response, 404, { message: 'there is only /report and /healthz' });
    void report(watcher, searchParams.has('fresh'), response);
  });
  server.requestTimeout = 5000;
  server.maxConnections = 16;
  return server;
}

async function report(watcher: Watcher, fresh: boolean, response: ServerResponse): Promise<void> {
  if (fresh) await watcher.fresh();
  const seen = watcher.report;
  answer(response, seen ? 200 : 503, seen ?? { message: 'the first look is under way' });
}

function answer(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}
