/** The pods of the edges and of the prober, as far as they tell how each fares. */

import { GROUP } from '../../api/tenant-network.ts';
import { TENANT, YIELD } from '../../gateway/labels.ts';
import type { WireObject } from '../../kube/object.ts';
import { TEMPLATE } from '../ledger/intent.ts';

/** On a pod: the configuration that it was last told of. Changing it makes kubelet refresh the volumes at once. */
export const CONFIGURATION = `${GROUP}/configuration`;
/** On a pod: by which decision it was last told, and when; see `standby-first.ts`. */
export const SETTINGS = `${GROUP}/settings`;

const NETWORK_STATUS = 'k8s.v1.cni.cncf.io/network-status';

export interface SegmentInterface {
  readonly addresses: readonly string[];
  readonly mac: string;
}

export interface EdgePod {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod';
  readonly metadata: { readonly namespace: string; readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly tenant: string;
  readonly edge: string;
  readonly node: string;
  /** On the pod network; empty until it has one. */
  readonly address: string;
  readonly ready: boolean;
  readonly terminating: boolean;
  /** When it was created. */
  readonly made: string;
  /** The mark of the template it was made from, and the configuration it was told of. */
  readonly template: string;
  readonly configuration: string;
  /** The decision that it was told of, and when; empty when it never was. */
  readonly settings: string;
  /** The word by which it was last asked to give the VIP away; empty when it never was. */
  readonly yielded: string;
  /** Its leg on the segment, once Multus says that it has one. */
  readonly net1: SegmentInterface | undefined;
  /** What keeps it from being ready, in the words of kubelet or the scheduler; empty when nothing does. */
  readonly trouble: string;
  /** Somebody else on the segment has the pod's address there, as the guard found before the pod used it. */
  readonly taken?: { readonly address: string; readonly by: string };
  /** Waiting will not make it ready: an image that is not there, a container that ends again and again, no node that fits. */
  readonly stuck: boolean;
  /** The container that runs and yet is not ready: its probe knows why. Absent when none is, or when it does not run at all. */
  readonly unready?: string;
}

interface PodBody {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

interface ContainerStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly started?: boolean;
  readonly state?: {
    readonly running?: object;
    readonly waiting?: { readonly reason?: string };
    readonly terminated?: Terminated;
  };
  readonly lastState?: { readonly terminated?: Terminated };
}

interface Terminated {
  readonly exitCode: number;
  readonly message?: string;
}

export function edgePod(object: WireObject): EdgePod {
  const {
    namespace = '',
    name,
    uid = '',
    resourceVersion = '',
    labels = {},
    annotations = {},
    deletionTimestamp,
    creationTimestamp = '',
  } = object.metadata;
  const { spec, status } = object as WireObject & PodBody;
  const ready = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
  const trouble = ready ? '' : troubleOf(status);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, uid, resourceVersion },
    tenant: labels[TENANT] ?? '',
    edge: labels['app.kubernetes.io/instance'] ?? '',
    node: spec?.nodeName ?? '',
    address: status?.podIP ?? '',
    ready,
    terminating: deletionTimestamp !== undefined,
    made: creationTimestamp,
    template: annotations[TEMPLATE] ?? '',
    configuration: annotations[CONFIGURATION] ?? '',
    settings: annotations[SETTINGS] ?? '',
    yielded: annotations[YIELD] ?? '',
    net1: segmentInterface(annotations[NETWORK_STATUS]),
    trouble,
    stuck: !ready && !isWaiting(trouble),
    ...(ready ? {} : { ...unreadyOf(status), ...takenOf(status) }),
  };
}

function unreadyOf(status: PodBody['status']): Pick<EdgePod, 'unready'> {
  const found = status?.containerStatuses?.find(({ ready, started, state }) => !ready && started === true && state?.running !== undefined);
  return found === undefined ? {} : { unready: found.name };
}

/** The guard's last words about an address that it may not use; see deploy/edge/guard. */
const TAKEN = /^(\S+) is taken: (.+) on the segment answers for it$/;

function takenOf(status: PodBody['status']): Pick<EdgePod, 'taken'> {
  const [, address, by] = TAKEN.exec(guardsWords(status?.initContainerStatuses ?? [])) ?? [];
  return address === undefined || by === undefined ? {} : { taken: { address, by } };
}

/** Also while it tries once more: that it runs says nothing new, and a message that comes and goes would be a write each time. */
function guardsWords(statuses: readonly ContainerStatus[]): string {
  const guard = statuses.find(({ name }) => name === 'guard');
  if (guard?.ready || guard?.state?.terminated?.exitCode === 0) return '';
  return lastLine((guard?.state?.terminated ?? guard?.lastState?.terminated)?.message ?? '');
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.slice(0, 300) ?? '';

function segmentInterface(text: string | undefined): SegmentInterface | undefined {
  if (text === undefined) return undefined;
  try {
    const networks = JSON.parse(text) as readonly {
      readonly interface?: string;
      readonly ips?: readonly string[];
      readonly mac?: string;
    }[];
    const found = networks.find((network) => network.interface === 'net1');
    return found && { addresses: found.ips ?? [], mac: (found.mac ?? '').toLowerCase() };
  } catch {
    // Written by Multus. If it is not JSON, it says nothing about net1, and that is what is reported.
    return undefined;
  }
}

/** Without kubelet's own sentences: they count seconds, and a status that changes every ten of them says nothing new. */
function troubleOf(status: PodBody['status']): string {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False') return `it cannot be scheduled: ${scheduled.message ?? 'no reason given'}`;
  const words = guardsWords(status?.initContainerStatuses ?? []);
  if (words !== '') return `container guard keeps failing: ${words}`;
  for (const { name, ready, state } of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
    if (ready || state?.terminated?.exitCode === 0) continue;
    return containerTrouble(name, state?.waiting?.reason ?? '', state?.terminated?.exitCode);
  }
  return STARTING;
}

const STARTING = 'it is starting';
const isWaiting = (trouble: string): boolean => trouble === STARTING || trouble.endsWith(NOT_YET);
const NOT_YET = 'is not ready yet';
const WAITING: Readonly<Record<string, string>> = {
  PodInitializing: STARTING,
  ContainerCreating: STARTING,
  ErrImagePull: 'its image cannot be pulled',
  ImagePullBackOff: 'its image cannot be pulled',
};

function containerTrouble(name: string, waiting: string, exitCode: number | undefined): string {
  if (waiting === 'CrashLoopBackOff' || exitCode !== undefined) return `container ${name} keeps failing`;
  return waiting === '' ? `container ${name} ${NOT_YET}` : (WAITING[waiting] ?? `container ${name}: ${waiting}`);
}
