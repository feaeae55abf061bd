/** One request to a prober's pod. It stands on the tenant's network: nothing it sends is trusted to be short. */
import { get } from 'node:http';
import { PROBER_PORT } from '../../gateway/edge-ports.ts';
import type { AskProber } from './segment-probes.ts';

const MOST_BYTES = 512 * 1024;

/** What it saw last. */
export const askProber: AskProber = (address, signal) => ask(address, '/report', signal);

/** What it sees when it looks now, which takes it some seconds. */
export const askProberToLook: AskProber = (address, signal) => ask(address, '/report?fresh=1', signal);

const ask = (address: string, path: string, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const request = get({ host: address, port: PROBER_PORT, path, agent: false, signal }, (response) => {
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
