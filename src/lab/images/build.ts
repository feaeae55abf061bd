/** `node src/lab/images/build.ts`: makes everything that the lab makes out of the tools, for `make lab`. What is there is not made again. */

import { workerDisk } from '../worker/disk.ts';
import { ensureDerived } from './derived.ts';
import { edgeImage } from './edge.ts';
import { hostedControlPlaneImage } from './hosted-control-plane.ts';
import { operatorImage } from './operator.ts';

const cancel = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => cancel.abort(new Error(`stopped by ${signal}`)));
for (const derived of [operatorImage, hostedControlPlaneImage, edgeImage, workerDisk]) {
  const since = performance.now();
  await ensureDerived(derived, cancel.signal);
  console.log(`${derived.name.padEnd(36)} ${((performance.now() - since) / 1000).toFixed(1)} s`);
}
