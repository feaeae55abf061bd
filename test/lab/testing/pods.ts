/** Pods that answer and ask, from an image of one static busybox. */

import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { KubeObject } from '../../../src/kube/object.ts';
import type { Lab } from '../../../src/lab/contract.ts';
import { writeScratchImage } from '../../../src/lab/node/scratch-image.ts';
import { toolPath } from '../../../tools/paths.ts';

/** Static, so it runs on the machine and in an image of nothing else. */
export const BUSYBOX = join(toolPath('debian-worker'), 'bin', 'busybox');
const IMAGE = 'localhost/hcpio/busybox:test';

type Loose = KubeObject & Readonly<Record<string, unknown>>;

export async function importBusybox(lab: Lab): Promise<void> {
  await lab.importImage(await writeScratchImage({ reference: IMAGE, binary: BUSYBOX }, join(lab.dir, 'images'), (argv) => lab.run(argv)));
}

export interface PodOptions {
  readonly name: string;
  readonly namespace: string;
  readonly node?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** Mounted at /data. */
  readonly claim?: string;
}

/** Serves its own name on port 80. */
export function pod({ name, namespace, node, annotations = {}, labels = {}, claim }: PodOptions): Loose {
  const script = `echo ${name} > /www/index.html; exec /busybox httpd -f -p 80 -h /www`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, annotations, labels: { app: name, ...labels } },
    spec: {
      ...(node === undefined ? {} : { nodeSelector: { 'kubernetes.io/hostname': node } }),
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      containers: [
        {
          name: 'main',
          image: IMAGE,
          imagePullPolicy: 'Never',
          command: ['/busybox', 'sh', '-c', script],
          volumeMounts: [{ name: 'www', mountPath: '/www' }, ...(claim ? [{ name: 'data', mountPath: '/data' }] : [])],
        },
      ],
      volumes: [{ name: 'www', emptyDir: {} }, ...(claim ? [{ name: 'data', persistentVolumeClaim: { claimName: claim } }] : [])],
    },
  };
}

/** A namespace that is ready for pods: its default service account comes a moment after it. */
export async function addNamespace(lab: Lab, name: string, labels: Readonly<Record<string, string>> = {}): Promise<void> {
  await lab.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }]);
  await lab.kubectl(['wait', '--for=create', 'serviceaccount/default', '-n', name, '--timeout=60s']);
}

export async function waitForPods(lab: Lab, namespace: string): Promise<void> {
  await lab.kubectl(['wait', '--for=condition=Ready', 'pod', '--all', '-n', namespace, '--timeout=120s']);
}

export async function addressOf(lab: Lab, namespace: string, name: string): Promise<string> {
  return lab.kubectl(['get', 'pod', name, '-n', namespace, '-o', 'jsonpath={.status.podIP}']);
}

export async function execIn(lab: Lab, namespace: string, name: string, ...argv: readonly string[]): Promise<string> {
  return lab.kubectl(['exec', '-n', namespace, name, '--', ...argv]);
}

/** What the other end serves, or undefined when the connection is refused, cut or swallowed. */
export async function ask(lab: Lab, namespace: string, from: string, address: string): Promise<string | undefined> {
  const script = `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | /busybox nc -w 2 ${address} 80 | /busybox tail -n 1`;
  const answer = await execIn(lab, namespace, from, '/busybox', 'sh', '-c', script).catch(() => '');
  return answer.trim() || undefined;
}

/** Asks until it is so, and gives that answer. Who waits in vain is told what was seen last. */
export async function eventually<T>(look: () => Promise<T>, isSo: (seen: T) => boolean, patienceMs = 60_000, everyMs = 200): Promise<T> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (performance.now() > giveUpAt)
      throw new Error(
        `waited in vain for ${patienceMs / 1000} s; the last that was seen: ${inspect(seen, { maxArrayLength: 10, maxStringLength: 2000 })}`,
      );
    await pause(everyMs);
  }
}
