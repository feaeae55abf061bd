/** How the lab takes the player in: its images are built before, its process starts when the hub stands, and `up` waits for the API. */
import { join } from 'node:path';
import type { Attachment, Lab, LabOptions } from '../contract.ts';
import { ensureDerived } from '../images/derived.ts';
import { edgeImage } from '../images/edge.ts';
import { hostedControlPlaneImage } from '../images/hosted-control-plane.ts';
import { operatorImage } from '../images/operator.ts';
import { waitFor } from '../wait.ts';
import { workerDisk } from '../worker/disk.ts';
import type { Condition } from './hosted-cluster.ts';
import { CLUSTER, CLUSTERS, hostedClusterObjects, hubConfiguration, nodePool, SEGMENT } from './scenario.ts';
import { STAND_INS } from './stand-ins.ts';

const PART = 'player';

export const player: Attachment = {
  name: PART,
  wanted: (options) => options.player && options.nodes > 0,
  prepare,
  start,
  describe,
};

async function prepare(_: LabOptions, signal: AbortSignal): Promise<readonly string[]> {
  // One after the other: each of them keeps all cores busy when it has to be made.
  const control = await ensureDerived(hostedControlPlaneImage, signal);
  const edge = await ensureDerived(edgeImage, signal);
  // Every tenant has a prober, which is a programme in the operator's image, whether the operator runs or not.
  const operator = await ensureDerived(operatorImage, signal);
  await ensureDerived(workerDisk, signal);
  return [control.archive, edge.archive, operator.archive];
}

async function start(lab: Lab, signal: AbortSignal): Promise<void> {
  for (const standIn of STAND_INS) await lab.declareStandIn(standIn);
  await lab.step('hub configuration', () => lab.apply(hubConfiguration(lab), { signal }));
  await lab.spawn(PART, { netns: lab.hub.netns, argv: [process.execPath, join(import.meta.dirname, 'main.ts'), lab.name] });
  if (lab.options.hostedCluster === false) return;
  await orderCluster(lab, { replicas: 0 }, signal);
  for (const [title, condition] of MILESTONES) {
    await lab.step(title, () => waitFor(title, () => reached(lab, condition, signal), { lab, parts: [PART], signal }), { parts: [PART] });
  }
}

export interface Wishes {
  readonly replicas: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What a user creates: a HostedCluster and its NodePool. Everything else follows from them. */
export async function orderCluster(lab: Lab, { replicas, annotations }: Wishes, signal: AbortSignal): Promise<void> {
  const machineCidr = lab.segments.find(({ name }) => name === SEGMENT)?.cidr ?? '';
  const cluster = { name: CLUSTER, strategy: lab.options.strategy, machineCidr, ...(annotations === undefined ? {} : { annotations }) };
  const pool = nodePool({ name: CLUSTER, cluster: CLUSTER, segment: SEGMENT, replicas, kind: 'vm' });
  await lab.apply([...hostedClusterObjects(cluster), pool], { signal });
}

const MILESTONES = [
  ['hosted cluster: infrastructure', 'InfrastructureReady'],
  ['hosted cluster: etcd', 'EtcdAvailable'],
  ['hosted cluster: API server', 'KubeAPIServerAvailable'],
  ['hosted cluster: all of it', 'Available'],
] as const;

async function reached(lab: Lab, type: string, signal: AbortSignal): Promise<true | undefined> {
  const found = await conditionsOf(lab, signal);
  return found.some((condition) => condition.type === type && condition.status === 'True') ? true : undefined;
}

async function conditionsOf(lab: Lab, signal: AbortSignal): Promise<readonly Condition[]> {
  const text = await lab.kubectl(['get', 'hostedcluster', CLUSTER, `--namespace=${CLUSTERS}`, '--output=json'], { signal });
  const { status = {} } = JSON.parse(text) as { status?: { conditions?: readonly Condition[] } };
  return status.conditions ?? [];
}

async function describe(lab: Lab): Promise<readonly string[]> {
  const { signal } = new AbortController();
  const conditions = await conditionsOf(lab, signal).catch(() => undefined);
  if (conditions === undefined) return ['no hosted cluster yet'];
  const available = conditions.find(({ type }) => type === 'Available');
  return [
    `hosted cluster ${CLUSTERS}/${CLUSTER} on ${SEGMENT}: ${available?.status === 'True' ? 'available' : (available?.message ?? 'not looked at yet')}`,
  ];
}
