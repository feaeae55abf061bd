/** One request to a prober's pod, or to an edge's. They stand on the tenant's network: nothing they send is trusted to be short. */
import { get } from 'node:http';
import { GUARD_REPORT_PORT, PROBER_PORT } from '../../gateway/edge-ports.ts';
import type { AskGuard } from './guard-reports.ts';
import type { AskProber } from './segment-probes.ts';

const MOST_BYTES = 512 * 1024;

/** What it saw last. */
export const askProber: AskProber = (address, signal) => ask(address, PROBER_PORT, '/report', signal);

/** What it sees when it looks now, which takes it some seconds. */
export const askProberToLook: AskProber = (address, signal) => ask(address, PROBER_PORT, '/report?fresh=1', signal);

/** What the guard of an edge has noticed lately. */
export const askGuard: AskGuard = (address, signal) => ask(address, GUARD_REPORT_PORT, '/sightings', signal);

const ask = (address: string, port: number, path: string, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const request = get({ host: address, port, path, agent: false, signal }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MOST_BYTES) request.destroy(new Error('the report is too long'));
        chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('end', () => resolve(response.statusCode === 200 ? Buffer.concat(chunks).toString('utf8') : ''));
    });
    request.on('error', reject);
  });
