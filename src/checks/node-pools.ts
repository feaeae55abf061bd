import { PAUSE_MARKER } from '../api/markers.ts';
import { check, refOf, tenantRef } from './check.ts';

export const machinesHaveOneLeg = check('HCPIO-NP-001', ({ observed }) =>
  observed.nodePools
    .filter((pool) => pool.spec.platform.kubevirt?.attachDefaultNetwork !== false)
    .map((pool) => ({
      object: refOf(pool),
      path: 'spec.platform.kubevirt.attachDefaultNetwork',
      message: `VMs of NodePool ${pool.metadata.name} also sit on the hub's pod network: they are not isolated, and take their default route there`,
      fix: `kubectl patch nodepool -n ${pool.metadata.namespace} ${pool.metadata.name} --type merge -p '{"spec":{"platform":{"kubevirt":{"attachDefaultNetwork":false}}}}'`,
    })),
);

export const machinesAreOnTheSegment = check('HCPIO-NP-002', ({ observed }) => {
  const { attachment } = observed.tenantNetwork.spec.segment;
  return observed.nodePools
    .filter((pool) => !(pool.spec.platform.kubevirt?.additionalNetworks ?? []).some((network) => network.name === attachment))
    .map((pool) => ({
      object: refOf(pool),
      path: 'spec.platform.kubevirt.additionalNetworks',
      message: `VMs of NodePool ${pool.metadata.name} are not attached to ${attachment}`,
      fix: `add {name: ${attachment}} to spec.platform.kubevirt.additionalNetworks of the NodePool`,
    }));
});

export const thereIsANodePool = check('HCPIO-NP-003', ({ observed }) => {
  if (observed.nodePools.length > 0 || observed.hostedCluster === undefined) return [];
  const { name, namespace } = observed.hostedCluster.metadata;
  return [
    {
      object: refOf(observed.hostedCluster),
      message: 'there is no NodePool yet, so nobody needs addresses',
      fix: `create one with attachDefaultNetwork: false and additionalNetworks: [{name: ${observed.tenantNetwork.spec.segment.attachment}}]: hcp create nodepool kubevirt --cluster-name ${name} --namespace ${namespace}`,
    },
  ];
});

export const nobodyPausedThePool = check('HCPIO-NP-004', ({ observed }) =>
  observed.nodePools
    .filter((pool) => (pool.spec.pausedUntil ?? '') !== '' && pool.metadata.annotations[PAUSE_MARKER] === undefined)
    .map((pool) => ({
      object: refOf(pool),
      path: 'spec.pausedUntil',
      message: `NodePool ${pool.metadata.name} was paused by somebody else; hcpio will not release it`,
      fix: `when it is no longer wanted: kubectl patch nodepool -n ${pool.metadata.namespace} ${pool.metadata.name} --type json -p '[{"op":"remove","path":"/spec/pausedUntil"}]'`,
    })),
);

export const everyMachineHasAnAddress = check('HCPIO-NP-008', ({ observed, plan, machinesLeft }) =>
  machinesLeft.map((machine) => ({
    object: { kind: 'VirtualMachineInstance', namespace: plan.controlPlaneNamespace, name: machine },
    message: `the pool has no address left for machine ${machine}`,
    fix: `free addresses: shorten spec.segment.reserved or raise spec.gateway.dhcp.poolSize of TenantNetwork ${tenantRef(observed).namespace}/${tenantRef(observed).name}, or scale the NodePools down`,
  })),
);

export const machineNamesAreTheirOwn = check('HCPIO-NP-009', ({ plan }) => {
  const hosts = plan.endpoints.flatMap((e) => (e.host === null ? [] : [e.host]));
  const taken = new Set([
    ...hosts,
    ...['api', 'api-int', ...plan.edges.map((edge) => edge.name)].map((name) => `${name}.${plan.segment.domain}`),
  ]);
  return plan.dhcp.reservations
    .filter(({ machine }) => taken.has(`${machine}.${plan.segment.domain}`))
    .map(({ machine }) => ({
      object: { kind: 'VirtualMachineInstance', namespace: plan.controlPlaneNamespace, name: machine },
      path: 'metadata.name',
      message: `machine ${machine} has the name of a published service or of an edge, ${machine}.${plan.segment.domain}, and cannot be found by it`,
      fix: 'give the NodePool another name, so that its machines get other names',
    }));
});

export const nodePoolChecks = [
  machineNamesAreTheirOwn,
  machinesHaveOneLeg,
  machinesAreOnTheSegment,
  thereIsANodePool,
  nobodyPausedThePool,
  everyMachineHasAnAddress,
];
