/** How far each machine has come, as far as the hub can know it without touching the VM. Pure. */
import type { TenantNetworkStatus } from '../api/tenant-network-status.ts';
import type { WireObject } from '../kube/object.ts';
import type { Connection } from './connection-view.ts';
import type { LeaseRow } from './lease-view.ts';

type Machine = NonNullable<TenantNetworkStatus['machines']>[number];

/** What was asked for all of them. Undefined: it could not be asked. */
export interface MachineSources {
  readonly instances?: readonly WireObject[] | undefined;
  readonly nodes?: readonly WireObject[] | undefined;
  readonly leases?: readonly LeaseRow[] | undefined;
  readonly connections?: readonly Connection[] | undefined;
}

/** In the order of a worker's way. Undefined: not known. `-o json` prints it, keep it stable. */
export interface MachineSteps {
  /** KubeVirt's word for it; `absent` when there is no instance. */
  readonly phase?: string | undefined;
  readonly hubNode?: string | undefined;
  readonly lease?: LeaseRow['state'] | undefined;
  /** Services of the control plane that took a connection of this machine, as far as the gateways' logs reach back. */
  readonly reached?: readonly string[] | undefined;
  /** Cluster API found the Node. */
  readonly registered?: boolean | undefined;
  /** Cluster API saw the Node Ready. */
  readonly ready?: boolean | undefined;
}

export type MachineView = Machine & MachineSteps;

/** The order in which a worker needs them; what a person dials comes last. */
const WAY = ['Ignition', 'APIServer', 'Konnectivity'];

export function machineViews(
  machines: readonly Machine[],
  endpoints: NonNullable<TenantNetworkStatus['endpoints']>,
  { instances, nodes, leases, connections }: MachineSources,
): readonly MachineView[] {
  const services = new Map(endpoints.map(({ upstream, service }) => [upstream, service]));
  return machines.map((machine) => ({
    ...machine,
    ...instanceOf(machine, instances),
    lease: leases && (leases.find(({ mac }) => mac === machine.mac)?.state ?? 'none'),
    reached: connections && reachedBy(machine, connections, services),
    ...nodeOf(machine, nodes),
  }));
}

function instanceOf({ machine }: Machine, instances: readonly WireObject[] | undefined): Pick<MachineSteps, 'phase' | 'hubNode'> {
  const found = instances?.find(({ metadata }) => metadata.name === machine);
  const status = (found?.['status'] ?? {}) as { readonly phase?: string; readonly nodeName?: string };
  return { phase: instances && (found === undefined ? 'absent' : (status.phase ?? 'Pending')), hubNode: status.nodeName };
}

function reachedBy({ machine }: Machine, connections: readonly Connection[], services: ReadonlyMap<string, string>): readonly string[] {
  // What has no address at the other end was never taken.
  const taken = connections.filter((each) => each.machine === machine && each.seenAs);
  const names = new Set(taken.flatMap(({ upstream }) => services.get(upstream ?? '') ?? []));
  return [...names].toSorted((a, b) => place(a) - place(b) || a.localeCompare(b));
}
const place = (service: string): number => (WAY.includes(service) ? WAY.indexOf(service) : WAY.length);

interface ClusterApiMachine {
  readonly spec?: { readonly infrastructureRef?: { readonly name?: string } };
  readonly status?: { readonly nodeRef?: object; readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Its name may be another than the VM's; what it stands for is the VM. Condition NodeReady is of v1beta2, NodeHealthy of both. */
function nodeOf({ machine }: Machine, nodes: readonly WireObject[] | undefined): Pick<MachineSteps, 'registered' | 'ready'> {
  const found = nodes?.map((node) => node as ClusterApiMachine).find(({ spec }) => spec?.infrastructureRef?.name === machine);
  if (nodes === undefined || found === undefined) return { registered: undefined, ready: undefined };
  const { nodeRef, conditions = [] } = found.status ?? {};
  const said = (type: string): string | undefined => conditions.find((condition) => condition.type === type)?.status;
  const healthy = said('NodeReady') ?? said('NodeHealthy');
  return { registered: nodeRef !== undefined, ready: healthy === undefined ? undefined : healthy === 'True' };
}
