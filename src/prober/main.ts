/**
 * The prober as a process.
 *
 *   prober serve FILE    look at what the list in FILE says, again and again, and hand out the report
 *   prober report        ask the one that serves here for a fresh look, and print it
 *   prober last          the same for what it saw last
 *   prober once FILE     look once, from this machine, and print the report
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { look } from './look.ts';
import { Patience } from './patience.ts';
import { reportServer } from './server.ts';
import { Watcher } from './watcher.ts';

const USAGE = 'usage: prober serve FILE | report | last | once FILE';
/** As in the plan's NetworkPolicy and guard. */
const PORT = 8068;
const LOOPBACK = '127.0.0.1';
const FRESH_MS = 20_000;

async function serve(path: string, stop: AbortSignal): Promise<void> {
  const patience = new Patience(() => performance.now());
  const watcher = new Watcher(path, async (list) => {
    const seen = await look(list);
    return { ...seen, results: patience.bear(seen.results) };
  });
  const hosts = [LOOPBACK, ...(process.env['POD_IP'] ? [process.env['POD_IP']] : [])];
  const servers = hosts.map((host) => reportServer(watcher).listen(PORT, host));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  await watcher.run(stop);
  for (const server of servers) server.close().closeAllConnections();
}

async function report(path: string): Promise<void> {
  const request = get({ host: LOOPBACK, port: PORT, path, timeout: FRESH_MS });
  const [response] = await once(request, 'response');
  process.stdout.write(await text(response));
}

async function main([command, path]: readonly string[], stop: AbortSignal): Promise<void> {
  if (command === 'serve' && path !== undefined) return serve(path, stop);
  if (command === 'report') return report('/report?fresh=1');
  if (command === 'last') return report('/report');
  if (command === 'once' && path !== undefined) {
    process.stdout.write(`${JSON.stringify({ ...(await look(await readFile(path, 'utf8'))), ageMilliseconds: 0 })}\n`);
    return undefined;
  }
  if (command === '--help') {
    process.stdout.write(`${USAGE}\n`);
    return undefined;
  }
  throw new Error(USAGE);
}

const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());

main(process.argv.slice(2), stop.signal).catch((error: unknown) => {
  process.stderr.write(`prober: ${(error as Error).message}\n`);
  process.exit(1);
});
