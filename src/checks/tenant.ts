import { SHORTHAND_ANNOTATION } from '../api/shorthand.ts';
import { check, hostedClusterRef, tenantRef } from './check.ts';

export const hostedClusterExists = check('HCPIO-TEN-001', ({ observed }) => {
  if (observed.hostedCluster !== undefined) return [];
  const wanted = hostedClusterRef(observed);
  return [
    {
      object: tenantRef(observed),
      path: 'spec.hostedCluster',
      message: `there is no HostedCluster ${wanted.namespace}/${wanted.name}`,
      fix: `create it, or set spec.hostedCluster to one of namespace ${wanted.namespace} (kubectl get hostedclusters -n ${wanted.namespace})`,
    },
  ];
});

export const platformIsKubeVirt = check('HCPIO-TEN-004', ({ observed }) => {
  const type = observed.hostedCluster?.spec.platform.type;
  if (type === undefined || type === 'KubeVirt') return [];
  return [
    {
      object: hostedClusterRef(observed),
      path: 'spec.platform.type',
      message: `the workers are of platform ${type}, and hcpio serves VMs of OpenShift Virtualization`,
      fix: 'use hcpio for hosted clusters of platform KubeVirt only; delete this TenantNetwork',
    },
  ];
});

export const machinesRunOnThisHub = check('HCPIO-TEN-005', ({ observed }) => {
  if (observed.hostedCluster?.spec.platform.kubevirt?.credentials === undefined) return [];
  return [
    {
      object: hostedClusterRef(observed),
      path: 'spec.platform.kubevirt.credentials',
      message: 'the VMs run on another infrastructure cluster, so an edge on this hub is not on their segment',
      fix: 'create the cluster without platform.kubevirt.credentials, or do without a TenantNetwork',
    },
  ];
});

export const oneTenantNetworkPerCluster = check('HCPIO-TEN-007', ({ observed, plan }) => {
  const cluster = hostedClusterRef(observed);
  return observed.neighbours
    .filter((other) => other.hostedCluster === `${cluster.namespace}/${cluster.name}`)
    .map((other) => ({
      object: tenantRef(observed),
      path: 'spec.hostedCluster',
      message: `${plan.tenant} and ${other.tenant} both serve HostedCluster ${cluster.namespace}/${cluster.name}`,
      fix: `delete one of them: kubectl delete tenantnetwork -n ${cluster.namespace} NAME`,
    }));
});

export const shorthandAgrees = check('HCPIO-TEN-008', ({ observed }) => {
  const shorthand = observed.hostedCluster?.metadata.annotations[SHORTHAND_ANNOTATION];
  const attachment = observed.tenantNetwork.spec.segment.attachment;
  if (shorthand === undefined || shorthand === attachment) return [];
  return [
    {
      object: hostedClusterRef(observed),
      path: `metadata.annotations["${SHORTHAND_ANNOTATION}"]`,
      message: `the annotation names ${JSON.stringify(shorthand)}, the TenantNetwork ${JSON.stringify(attachment)}; the TenantNetwork wins`,
      fix: `remove the annotation: kubectl annotate hostedcluster -n ${observed.tenantNetwork.metadata.namespace} ${hostedClusterRef(observed).name} ${SHORTHAND_ANNOTATION}-`,
    },
  ];
});

/** `<control-plane namespace>-edge` may be the control-plane namespace of a HostedCluster whose name ends in -edge. */
export const edgeNamespaceIsFree = check('HCPIO-TEN-009', ({ observed, plan }) =>
  observed.edgeNamespaceOwners.map((owner) => ({
    object: hostedClusterRef(observed),
    message: `the edge belongs into namespace ${plan.edgeNamespace}, which is the control-plane namespace of HostedCluster ${owner}`,
    fix: 'create one of the two HostedClusters under another name',
  })),
);

const LONGEST_NAMESPACE = 63;

export const controlPlaneNamespaceFits = check('HCPIO-TEN-010', ({ observed, plan }) => {
  if (plan.controlPlaneNamespace.length <= LONGEST_NAMESPACE) return [];
  return [
    {
      object: hostedClusterRef(observed),
      path: 'metadata.name',
      message: `HyperShift cannot make namespace ${plan.controlPlaneNamespace}: it has ${plan.controlPlaneNamespace.length} characters, and ${LONGEST_NAMESPACE} is the most`,
      fix: 'create the HostedCluster under a shorter name',
    },
  ];
});

export const tenantChecks = [
  controlPlaneNamespaceFits,
  edgeNamespaceIsFree,
  hostedClusterExists,
  platformIsKubeVirt,
  machinesRunOnThisHub,
  oneTenantNetworkPerCluster,
  shorthandAgrees,
];
