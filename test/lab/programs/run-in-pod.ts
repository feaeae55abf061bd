/** Run inside the hub's namespace: `run-in-pod.ts KUBECONFIG ORDER...` prints what became of each order, as JSON. */
import { readFile } from 'node:fs/promises';
import { systemClock } from '../../../src/kube/clock.ts';
import { ApiError } from '../../../src/kube/errors.ts';
import { type ExecOrder, exec } from '../../../src/kube/exec.ts';
import { systemCommand } from '../../../src/kube/exec-credential.ts';
import { loadKubeconfig } from '../../../src/kube/kubeconfig.ts';
import { silentLogger } from '../../../src/kube/telemetry.ts';
import { Transport } from '../../../src/kube/transport.ts';

const [kubeconfig = '', ...orders] = process.argv.slice(2);
const { signal } = new AbortController();
const { connection } = await loadKubeconfig(
  { paths: [kubeconfig], readFile: (path) => readFile(path, 'utf8'), runCommand: systemCommand({}), clock: systemClock, log: silentLogger },
  signal,
);
const transport = new Transport({ connection, userAgent: 'lab-test' });
const results = await Promise.all(
  orders.map((order) =>
    exec(transport, JSON.parse(order) as ExecOrder, signal).catch((error: unknown) =>
      error instanceof ApiError ? { refused: error.code, message: error.status.message } : { failed: String(error) },
    ),
  ),
);
console.log(JSON.stringify(results));
transport.close();
