/**
 * The provisioner behind the lab's default StorageClass, as a process: `main.ts KUBECONFIG LAB_DIR`.
 * A stand-in for a real storage driver: volumes are directories of a node, without quota, snapshots or moving.
 */
import { chmod, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '../../kube/client.ts';
import { systemClock } from '../../kube/clock.ts';
import { Controller } from '../../kube/controller.ts';
import { ApiError } from '../../kube/errors.ts';
import { systemCommand } from '../../kube/exec-credential.ts';
import { Informer, withoutManagedFields } from '../../kube/informer.ts';
import { loadKubeconfig } from '../../kube/kubeconfig.ts';
import { Manager } from '../../kube/manager.ts';
import { keyOf, type Resource } from '../../kube/object.ts';
import type { Logger } from '../../kube/telemetry.ts';
import { Transport } from '../../kube/transport.ts';
import { type Claim, isToBeRemoved, type Volume, volumeFor } from './volume.ts';

const CLAIMS: Resource = { group: '', version: 'v1', plural: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim', namespaced: true };
const VOLUMES: Resource = { group: '', version: 'v1', plural: 'persistentvolumes', kind: 'PersistentVolume', namespaced: false };

const say = (fields: object, message: string) => console.log(message, JSON.stringify(fields, errorsAsText));
const log: Logger = { debug() {}, info: say, warn: say, error: say };

function errorsAsText(_key: string, value: unknown): unknown {
  return value instanceof Error ? (value.stack ?? value.message) : value;
}

async function main([kubeconfig = '', labDir = '']: readonly string[], signal: AbortSignal): Promise<void> {
  const readText = (path: string) => readFile(path, 'utf8');
  const options = { paths: [kubeconfig], readFile: readText, runCommand: systemCommand(process.env), clock: systemClock, log };
  const { connection } = await loadKubeconfig(options, signal);
  const transport = new Transport({ connection, userAgent: 'hcpio-lab-storage', log });
  const client = new Client(transport);
  const claims = new Informer<Claim>({ transport, resource: CLAIMS, project: withoutManagedFields, log });
  const volumes = new Informer<Volume>({ transport, resource: VOLUMES, project: withoutManagedFields, log });
  const common = { clock: systemClock, random: Math.random, log };
  const dirOf = (node: string, volume: Volume) => join(labDir, 'nodes', node, volume.spec.local.path);

  const provision = new Controller({
    ...common,
    name: 'provision',
    reconcile: async (key, context) => {
      const claim = claims.store.get(key);
      const wanted = claim && volumeFor(claim);
      if (!wanted) return undefined;
      const dir = dirOf(wanted.node, wanted.volume);
      await mkdir(dir, { recursive: true });
      // Whoever the pod runs as: nobody else sees the directory.
      await chmod(dir, 0o777);
      await client.create(VOLUMES, wanted.volume, context.signal).catch((failure: unknown) => {
        if (!(failure instanceof ApiError && failure.code === 409)) throw failure;
      });
      log.info({ claim: key, node: wanted.node }, 'made');
      return undefined;
    },
  });
  const reclaim = new Controller({
    ...common,
    name: 'reclaim',
    reconcile: async (key, context) => {
      const volume = volumes.store.get(key);
      if (!volume || !isToBeRemoved(volume)) return undefined;
      await rm(dirOf(nodeOf(volume), volume), { recursive: true, force: true });
      await client.delete(VOLUMES, volume.metadata, context.signal, volume.metadata.uid ? { uid: volume.metadata.uid } : {});
      log.info({ volume: key }, 'removed');
      return undefined;
    },
  });
  provision.watch(claims.store, (claim) => [keyOf(claim.metadata)]);
  reclaim.watch(volumes.store, (volume) => [keyOf(volume.metadata)]);
  await new Manager({ informers: [claims, volumes], controllers: [provision, reclaim], log }).run(signal);
}

function nodeOf({ spec }: Volume): string {
  return spec.nodeAffinity.required.nodeSelectorTerms[0]?.matchExpressions[0]?.values[0] ?? '';
}

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort(new Error('asked to stop')));
await main(process.argv.slice(2), stop.signal);
