/** A hub for tests of the operator: a real API server with the real CRDs, and hands to play everybody else. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Applier } from '../../src/kube/apply.ts';
import { Client } from '../../src/kube/client.ts';
import { systemClock } from '../../src/kube/clock.ts';
import type { Connection } from '../../src/kube/connection.ts';
import { Discovery } from '../../src/kube/discovery.ts';
import { systemCommand } from '../../src/kube/exec-credential.ts';
import { loadKubeconfig } from '../../src/kube/kubeconfig.ts';
import { listPages } from '../../src/kube/list-pager.ts';
import type { KubeObject, Resource, WireObject } from '../../src/kube/object.ts';
import { refText } from '../../src/kube/object.ts';
import { silentLogger } from '../../src/kube/telemetry.ts';
import { Transport } from '../../src/kube/transport.ts';
import { crdFiles } from '../../tools/paths.ts';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../../tools/testing/control-plane.ts';
import type { AuditLog } from './audit.ts';
import { playControllerManager } from './controller-manager.ts';

/** What can be done to a hub. */
export interface Hands {
  readonly transport: Transport;
  readonly client: Client;
  /** Never aborted: the test's own timeout ends what hangs. */
  readonly signal: AbortSignal;
  /** Server-side apply under another name than the operator's; throws when it is refused. */
  apply(object: WireObject, status?: 'status'): Promise<WireObject>;
  list(resource: Resource, namespace?: string, labelSelector?: string): Promise<readonly WireObject[]>;
}

export interface Hub extends Hands {
  readonly controlPlane: ControlPlane;
  stop(): Promise<void>;
}

const OWN_CRD = join(import.meta.dirname, '../../deploy/crd/hcpio.io_tenantnetworks.yaml');

export interface HubOptions extends ControlPlaneOptions {
  /** Which foreign kinds there are at first; all of them unless told otherwise. */
  readonly crds?: readonly string[];
  /** Takes down what the API server is asked for. Closed with the hub. */
  readonly audit?: AuditLog;
  /** Nobody plays the controller-manager, whose questions would be measured as well. */
  readonly apiServerAlone?: boolean;
}

export async function startHub({ crds = crdFiles(), audit, apiServerAlone = false, ...options }: HubOptions = {}): Promise<Hub> {
  const apiserverArgs = [...(audit?.apiserverArgs ?? []), ...(options.apiserverArgs ?? [])];
  const controlPlane = await startControlPlane({ ...options, apiserverArgs });
  await controlPlane.applyCrds([...crds, OWN_CRD]);
  const hands = handsOf(await patientTransport(controlPlane.kubeconfigPath));
  const controllerManager = apiServerAlone ? undefined : playControllerManager(hands);
  return {
    controlPlane,
    ...hands,
    async stop() {
      await controllerManager?.stop();
      await controlPlane.stop().finally(() => hands.transport.close());
      audit?.close();
    },
  };
}

const never = new AbortController().signal;

/** How a kubeconfig leads to the API server, or to something that stands before it. */
export async function connectionTo(kubeconfig: string, server?: string): Promise<Connection> {
  const { connection } = await loadKubeconfig(
    {
      paths: [kubeconfig],
      readFile: (path, signal) => readFile(path, { encoding: 'utf8', signal }),
      runCommand: systemCommand(process.env),
      clock: systemClock,
      log: silentLogger,
    },
    never,
  );
  return server ? { ...connection, server: new URL(server) } : connection;
}

/** The way that everybody but the operator takes: patient, because tests kill the API server. */
async function patientTransport(kubeconfig: string): Promise<Transport> {
  return new Transport({
    connection: await connectionTo(kubeconfig),
    userAgent: 'test',
    retry: { maxRetries: 200, initialMs: 100, maxMs: 500 },
  });
}

function handsOf(transport: Transport): Hands {
  const applier = new Applier(transport, new Discovery(transport), 'player');
  return {
    transport,
    client: new Client(transport),
    signal: never,
    async apply(object, subresource) {
      const options = { onConflict: 'take' as const, wholeObject: true, ...(subresource ? { subresource } : {}) };
      const result = await applier.apply(object as KubeObject, never, options);
      if (result.outcome === 'refused') throw new Error(`${refText(result.ref)}: ${result.refusal.message}`);
      return result.object as WireObject;
    },
    async list(resource, namespace, labelSelector) {
      const selection = { resource, ...(namespace ? { namespace } : {}), ...(labelSelector ? { labelSelector } : {}) };
      const items: WireObject[] = [];
      for await (const page of listPages(transport, selection, 500, never)) {
        if (page.restarted) items.length = 0;
        items.push(...page.items);
      }
      return items;
    },
  };
}

/** Asks until the answer is no longer undefined or false. No sleeps beyond the pause between questions; the test's own timeout ends it. */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined | false>, signal?: AbortSignal): Promise<T> {
  let last: unknown;
  for (;;) {
    if (signal?.aborted) throw new Error(`waited in vain for ${what}`, { cause: last });
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      last = error;
    }
    await pause(50);
  }
}
