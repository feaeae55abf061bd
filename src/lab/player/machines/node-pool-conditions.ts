/** What HyperShift says of a NodePool, in the order of its reconciler, which stops where it cannot go on. */
import type { Condition } from '../hosted-cluster.ts';
import type { NodePool } from './node-pool.ts';

export interface PoolFacts {
  readonly paused: boolean;
  readonly ignitionCa: boolean;
  /** The endpoint is known, the certificate authority is there and the guest has a kubeconfig: machines could be made. */
  readonly buildable: boolean;
  readonly configHash: string;
  readonly token: { readonly exists: boolean; readonly reached: boolean };
  readonly machines: number;
  readonly ready: number;
}

/** A NodePool's condition may lack a reason or a message. */
type Said = Omit<Condition, 'observedGeneration' | 'lastTransitionTime'>;

export function nodePoolConditions(pool: NodePool, facts: PoolFacts): readonly Condition[] {
  const { generation = 1 } = pool.metadata;
  const all = [...first(pool), ...(facts.ignitionCa ? afterIgnition(pool, facts) : [IGNITION_CA_MISSING])];
  return all.map((condition) => ({ ...condition, observedGeneration: generation }));
}

const expected = (type: string, message?: string, status: Condition['status'] = 'True'): Said => ({
  type,
  status,
  reason: 'AsExpected',
  ...(message === undefined ? {} : { message }),
});

const first = ({ spec }: NodePool): readonly Said[] => [
  expected('AutoscalingEnabled', undefined, 'False'),
  expected('UpdateManagementEnabled'),
  expected('ValidReleaseImage', `Using release image: ${spec.release.image}`),
];

const IGNITION_CA_MISSING: Said = {
  type: 'IgnitionEndpointAvailable',
  status: 'False',
  reason: 'IgnitionCACertMissing',
  message: 'still waiting for ignition CA cert Secret to exist',
};

function afterIgnition(pool: NodePool, facts: PoolFacts): readonly Said[] {
  const active: Said = facts.paused
    ? {
        type: 'ReconciliationActive',
        status: 'False',
        reason: 'ReconciliationPaused',
        message: 'Reconciliation paused until field removed',
      }
    : { type: 'ReconciliationActive', status: 'True', reason: 'ReconciliationActive', message: 'Reconciliation active on resource' };
  const skew: Said = {
    type: 'SupportedVersionSkew',
    status: 'Unknown',
    reason: 'ValidationFailed',
    message: 'Failed to parse control plane version (): Version string empty',
  };
  return [expected('ValidArchPlatform'), active, skew, ...(facts.buildable ? buildable(pool, facts) : [])];
}

function buildable(pool: NodePool, facts: PoolFacts): readonly Said[] {
  const version = /:(\d+\.\d+\.\d+)/.exec(pool.spec.release.image)?.[1] ?? '';
  const rolledOut = facts.machines > 0 && facts.ready === facts.machines;
  const updating = (type: string, message: string) => (rolledOut ? expected(type, undefined, 'False') : expected(type, message));
  const template = `platform machine template update in progress. Target template: ${pool.metadata.name}-${facts.configHash}`;
  return [
    expected('ValidMachineConfig'),
    updating('UpdatingConfig', `Updating config in progress. Target config: ${facts.configHash}`),
    updating('UpdatingVersion', `Updating version in progress. Target version: ${version}`),
    ...tokenConditions(pool, facts),
    machineCondition('AllMachinesReady', facts),
    machineCondition('AllNodesHealthy', facts),
    expected('ValidPlatformConfig', 'All is well'),
    expected('ValidPlatformImage', 'Bootstrap KubeVirt Image is the disk of the lab'),
    expected('ValidTuningConfig'),
    ...(facts.paused ? [] : [updating('UpdatingPlatformMachineTemplate', template), expected('AutorepairEnabled', undefined, 'False')]),
  ];
}

function tokenConditions(pool: NodePool, { configHash, token }: PoolFacts): readonly Said[] {
  if (!token.exists) {
    const missing = {
      status: 'False',
      reason: 'NotFound',
      message: `Secret "token-${pool.metadata.name}-${configHash}" not found`,
    } as const;
    return [
      { type: 'ValidGeneratedPayload', ...missing },
      { type: 'ReachedIgnitionEndpoint', ...missing },
    ];
  }
  const payload: Said = { type: 'ValidGeneratedPayload', status: 'Unknown', message: 'Unable to get status data from token secret' };
  return token.reached
    ? [payload, { type: 'ReachedIgnitionEndpoint', status: 'True', reason: 'AsExpected' }]
    : [payload, { type: 'ReachedIgnitionEndpoint', status: 'False', reason: 'ignitionNotReached' }];
}

function machineCondition(type: string, { machines, ready }: PoolFacts): Said {
  if (machines === 0) return { type, status: 'False', reason: 'NotFound', message: 'No Machines are created' };
  if (ready < machines)
    return { type, status: 'False', reason: 'NotReady', message: `${machines - ready} of ${machines} machines are not ready` };
  return { type, status: 'True', reason: 'AsExpected', message: 'All is well' };
}
