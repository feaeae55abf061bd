/** What a person wants to see beside a tenant network, asked of whoever knows it. What cannot be asked is told, and the rest is shown. */
import { ApiError, isNotFound, NetworkError } from '../kube/errors.ts';
import { listAll } from '../kube/list-pager.ts';
import type { WireObject } from '../kube/object.ts';
import { VIRTUAL_MACHINE_INSTANCE } from '../operator/resources.ts';
import type { ProbeResult } from '../probes/report.ts';
import type { Cluster } from './cluster.ts';
import { type Connection, connectionOf } from './connection-view.ts';
import { Failure } from './failure.ts';
import { readGateway } from './gateway-log.ts';
import { CLUSTER_API_MACHINES } from './hub-resources.ts';
import { leasesOf } from './live-leases.ts';
import { fromSegment } from './live-probes.ts';
import { MachineNames } from './machine-names.ts';
import type { MachineSources } from './machine-steps.ts';
import { tenantView } from './tenant-view.ts';

export interface Surroundings extends MachineSources {
  /** What the prober saw when it looked last. */
  readonly probes?: { readonly ageSeconds: number; readonly results: readonly ProbeResult[] } | undefined;
  /** What could not be asked. */
  readonly notes: readonly string[];
}

/** Enough for the way of a hundred workers, and little to read. */
const LOG_LINES = 5000;

export async function lookAround(cluster: Cluster, tenant: WireObject, signal: AbortSignal): Promise<Surroundings> {
  const view = tenantView({ tenant });
  const failures = new Map<string, string>();
  const asked = async <T>(what: string, ask: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await ask();
    } catch (error) {
      const why = reasonOf(error);
      if (why === undefined) throw error;
      failures.set(what, why);
      return undefined;
    }
  };
  const namespace = view.controlPlaneNamespace;
  const [instances, nodes, leases, connections, probes] = await Promise.all([
    asked('what runs of the VMs', () => listAll(cluster.client.transport, { resource: VIRTUAL_MACHINE_INSTANCE, namespace }, signal)),
    asked('whether the Nodes have registered', () => listMachines(cluster, namespace, signal)),
    view.edges.length === 0 ? undefined : asked('leases', () => leasesOf(cluster, view, signal)),
    view.edges.length === 0 ? undefined : asked('what the machines reached', () => connectionsOf(cluster, tenant, signal)),
    view.conditions.length === 0 ? undefined : asked('probes', () => fromSegment(cluster, tenant, 'last', signal)),
  ]);
  return {
    instances,
    nodes,
    leases: leases && leases.edges.length === 0 ? undefined : leases?.leases,
    connections,
    probes: probes && { ageSeconds: Math.round(probes.report.ageMilliseconds / 1000), results: probes.report.results },
    // In one order, whoever answered first.
    notes: [...[...failures].map(([what, why]) => `${what}: ${why}`).toSorted(), ...(leases?.notes ?? []).map((note) => `leases: ${note}`)],
  };
}

/** Cluster API serves two versions for a while; the newest that is there. */
async function listMachines({ client }: Cluster, namespace: string, signal: AbortSignal): Promise<readonly WireObject[]> {
  const [newest, older] = CLUSTER_API_MACHINES;
  return listAll(client.transport, { resource: newest, namespace }, signal).catch((error: unknown) => {
    if (isNotFound(error)) return listAll(client.transport, { resource: older, namespace }, signal);
    throw error;
  });
}

async function connectionsOf(cluster: Cluster, tenant: WireObject, signal: AbortSignal): Promise<readonly Connection[]> {
  const { edges, edgeNamespace: namespace } = tenantView({ tenant });
  const names = await MachineNames.read(cluster, tenant, () => {}, signal);
  const logs = await Promise.all(
    edges.map(({ name: edge }) => readGateway(cluster, { namespace, edge }, { tailLines: LOG_LINES }, signal)),
  );
  const [first] = logs;
  if (first?.problem !== undefined && logs.every(({ problem }) => problem !== undefined)) throw new Failure(first.problem);
  return logs.flatMap(({ edge, lines }) => lines.flatMap(({ text }) => connectionOf(edge, text, names.of) ?? []));
}

/** Undefined: it is of the kind that keeps everything from being asked. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof Failure) return error.message;
  if (error instanceof ApiError && error.code !== 401) return error.status.message ?? error.message;
  if (error instanceof NetworkError && error.sent) return error.message;
  return undefined;
}
