/**
 * Plays what the controller-manager does for us, because the API server alone never does: namespaces that are terminating are emptied and
 * let go, and what was deleted without its dependents goes once they are on their own.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { resourcePath, type WireObject } from '../../src/kube/object.ts';
import { NAMESPACE, NODE_POOL, POD, TENANT_NETWORK, TENANT_RESOURCES } from '../../src/operator/resources.ts';
import type { Hands } from './hub.ts';

const CONTENTS = [...TENANT_RESOURCES.filter(({ namespaced }) => namespaced), POD, TENANT_NETWORK, NODE_POOL];

interface Player {
  stop(): Promise<void>;
}

export function playControllerManager(hub: Hands): Player {
  const stop = new AbortController();
  const running = (async () => {
    while (!stop.signal.aborted) {
      await round(hub, stop.signal).catch(() => {});
      await pause(100);
    }
  })();
  return {
    async stop() {
      stop.abort();
      await running;
    },
  };
}

async function round(hub: Hands, signal: AbortSignal): Promise<void> {
  for (const namespace of await hub.list(NAMESPACE)) {
    if (namespace.metadata.deletionTimestamp) await finish(hub, namespace, signal);
  }
  const orphaning = (await hub.list(STATEFUL_SET)).filter(
    ({ metadata }) => metadata.deletionTimestamp && metadata.finalizers?.includes('orphan'),
  );
  for (const { metadata } of orphaning) {
    await hub.client.patch(STATEFUL_SET, metadata, { type: 'merge', body: { metadata: { finalizers: null } } }, signal);
  }
}

const STATEFUL_SET = { group: 'apps', version: 'v1', plural: 'statefulsets', kind: 'StatefulSet', namespaced: true };

async function finish(hub: Hands, namespace: WireObject, signal: AbortSignal): Promise<void> {
  const { name } = namespace.metadata;
  let left = 0;
  for (const resource of CONTENTS) {
    const objects = await hub.list(resource, name);
    left += objects.length;
    if (objects.length > 0) await hub.transport.request({ method: 'DELETE', path: resourcePath(resource, name), idempotent: true }, signal);
  }
  if (left > 0) return;
  const body = { ...namespace, spec: { finalizers: [] } };
  await hub.transport.request({ method: 'PUT', path: resourcePath(NAMESPACE, undefined, name, 'finalize'), body }, signal);
}
