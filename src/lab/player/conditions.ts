/** What HyperShift says of a HostedControlPlane and of its HostedCluster, stage by stage, in HyperShift's own words. */
import type { Condition, HostedCluster, HostedControlPlane } from './hosted-cluster.ts';
import { strategyOf } from './hosted-cluster.ts';

/** A workload, as HyperShift tells it apart: not there, there, available. */
export type Progress = 'Absent' | 'Waiting' | 'Available';

export interface ControlPlaneFacts {
  readonly infrastructureReady: boolean;
  /** Why not, when not. */
  readonly waitingFor: string;
  readonly etcd: Progress;
  readonly kubeApiserver: Progress;
  readonly ignitionServer: Progress;
  readonly kubeconfig: boolean;
  /** Components that must be available too before the whole is called so. */
  readonly missing: readonly string[];
}

type Said = Omit<Condition, 'lastTransitionTime' | 'observedGeneration'>;

const said = (type: string, status: Condition['status'], reason: string, message = ''): Said => ({ type, status, reason, message });
const expected = (type: string, message = 'All is well'): Said => said(type, 'True', 'AsExpected', message);

/** Nothing at all until the control-plane operator has looked for the first time. */
export function hostedControlPlaneConditions(hcp: HostedControlPlane, facts: ControlPlaneFacts): readonly Condition[] {
  const { infrastructureReady, waitingFor } = facts;
  const infrastructure = infrastructureReady
    ? expected('InfrastructureReady')
    : said('InfrastructureReady', 'False', 'WaitingOnInfrastructureReady', waitingFor);
  const conditions = [
    expected('ValidHostedControlPlaneConfiguration', 'Configuration passes validation'),
    etcdAvailable(facts.etcd),
    kubeApiserverAvailable(facts.kubeApiserver),
    said('Degraded', 'False', 'AsExpected'),
    infrastructure,
    externalDns(hcp),
    available(infrastructure, facts),
    expected('ReconciliationActive', 'Reconciliation active on resource'),
    ...(infrastructureReady
      ? [
          said('ValidIDPConfiguration', 'True', 'IDPConfigurationValid', 'Identity provider configuration is valid'),
          expected('ValidReleaseInfo'),
        ]
      : []),
  ];
  const { generation = 1 } = hcp.metadata;
  // The one condition that is written without the generation, by the OAuth component.
  return conditions.map((condition) =>
    condition.type === 'ValidIDPConfiguration' ? condition : { ...condition, observedGeneration: generation },
  );
}

function etcdAvailable(etcd: Progress): Said {
  if (etcd === 'Absent') return said('EtcdAvailable', 'False', 'StatefulSetNotFound');
  if (etcd === 'Waiting') return said('EtcdAvailable', 'False', 'EtcdWaitingForQuorum', 'Waiting for etcd to reach quorum');
  return said('EtcdAvailable', 'True', 'QuorumAvailable');
}

function kubeApiserverAvailable(kas: Progress): Said {
  if (kas === 'Absent') return said('KubeAPIServerAvailable', 'False', 'NotFound', 'Kube APIServer deployment not found');
  if (kas === 'Waiting')
    return said('KubeAPIServerAvailable', 'False', 'WaitingForAvailable', 'Waiting for Kube APIServer deployment to become available');
  return expected('KubeAPIServerAvailable', 'Kube APIServer deployment is available');
}

/** A hub resolves no name of an isolated segment, so with a hostname this is False, and HyperShift does not mind. */
function externalDns({ spec }: HostedControlPlane): Said {
  const { loadBalancer, route } = strategyOf(spec, 'APIServer');
  const hostname = loadBalancer?.hostname || route?.hostname;
  if (!hostname) return said('ExternalDNSReachable', 'Unknown', 'StatusUnknown', 'External DNS is not configured');
  return said('ExternalDNSReachable', 'False', 'ExternalDNSHostNotReachable', `lookup ${hostname}: no such host`);
}

function available(infrastructure: Said, { kubeconfig, etcd, kubeApiserver, missing }: ControlPlaneFacts): Said {
  const not = ({ reason = '', message = '' }: Said) => said('Available', 'False', reason, message);
  if (infrastructure.status !== 'True') return not(infrastructure);
  if (!kubeconfig)
    return said('Available', 'False', 'KubeconfigWaitingForCreate', 'Waiting for hosted control plane kubeconfig to be created');
  if (etcd !== 'Available') return not(etcdAvailable(etcd));
  if (kubeApiserver !== 'Available') return not(kubeApiserverAvailable(kubeApiserver));
  if (missing.length > 0)
    return said('Available', 'False', 'ComponentsNotAvailable', `Waiting for components to be available: ${missing.join(', ')}`);
  return expected('Available', '');
}

const FROM_VERSION_OPERATOR = ['ReleaseAccepted', 'Upgradeable', 'Available', 'Succeeding', 'Progressing'].map(
  (name) => `ClusterVersion${name}`,
);

const COPIED_FIRST = [
  'EtcdAvailable',
  'KubeAPIServerAvailable',
  'InfrastructureReady',
  'ExternalDNSReachable',
  'ValidHostedControlPlaneConfiguration',
  'ValidReleaseInfo',
  'ValidIDPConfiguration',
  'HostedClusterRestoredFromBackup',
  'DataPlaneConnectionAvailable',
  'ControlPlaneConnectionAvailable',
  'EtcdBackupSucceeded',
  'ConfigOperatorReconciliationSucceeded',
];

/** The HostedCluster repeats its control plane's conditions and adds the operator's own. */
export function hostedClusterConditions(
  cluster: HostedCluster,
  controlPlane: readonly Condition[],
  ignitionServer: Progress,
): readonly Condition[] {
  const find = (type: string) => controlPlane.find((condition) => condition.type === type);
  const copied = COPIED_FIRST.map((type) => find(type) ?? said(type, 'Unknown', 'StatusUnknown', 'Condition not found in the HCP'));
  const conditions = [
    said('ReconciliationSucceeded', 'True', 'ReconciliatonSucceeded', 'Reconciliation completed successfully'),
    ...FROM_VERSION_OPERATOR.map((type) => said(type, 'Unknown', 'StatusUnknown', 'Condition not found in the CVO.')),
    degraded(find('Degraded')),
    expected('KubeVirtNodesLiveMigratable'),
    ...copied,
    said('AutoNodeEnabled', 'False', 'AutoNodeNotConfigured', 'AutoNode provisioner is not configured'),
    clusterAvailable(find('Available')),
    expected('ValidConfiguration', 'Configuration passes validation'),
    expected('SupportedHostedCluster', 'HostedCluster is supported by operator configuration'),
    expected('ValidProxyConfiguration', 'No proxy CA bundle configured'),
    ignitionAvailable(ignitionServer),
    expected('ReconciliationActive', 'Reconciliation active on resource'),
    expected('ValidReleaseImage', 'Release image is valid'),
    said('Progressing', 'False', 'AsExpected', 'HostedCluster is at expected version'),
    expected('PlatformCredentialsFound', 'Required platform credentials are found'),
  ];
  const { generation = 1 } = cluster.metadata;
  return conditions.map(({ type, status, reason = '', message = '' }) => ({
    type,
    status,
    reason,
    message,
    observedGeneration: generation,
  }));
}

function degraded(found: Condition | undefined): Said {
  return found === undefined
    ? said('Degraded', 'Unknown', 'StatusUnknown', 'The hosted control plane is not found')
    : said('Degraded', found.status, 'AsExpected', 'The hosted cluster is not degraded');
}

function clusterAvailable(found: Condition | undefined): Said {
  if (found === undefined) return said('Available', 'False', 'WaitingForAvailable', 'Waiting for hosted control plane to be healthy');
  return found.status === 'True'
    ? expected('Available', 'The hosted control plane is available')
    : said('Available', found.status, found.reason ?? '', found.message);
}

function ignitionAvailable(progress: Progress): Said {
  if (progress === 'Absent') return said('IgnitionEndpointAvailable', 'False', 'NotFound', 'Ignition server deployment not found');
  if (progress === 'Waiting')
    return said('IgnitionEndpointAvailable', 'False', 'WaitingForAvailable', 'Ignition server deployment is not yet available');
  return expected('IgnitionEndpointAvailable', 'Ignition server deployment is available');
}
