/** Every resource that the operator reads or writes, as the API server's URLs spell it. */
import { GROUP, VERSION } from '../api/tenant-network.ts';
import type { Resource } from '../kube/object.ts';

const resource = (group: string, version: string, plural: string, kind: string, namespaced = true): Resource => ({
  group,
  version,
  plural,
  kind,
  namespaced,
});

export const TENANT_NETWORK = resource(GROUP, VERSION, 'tenantnetworks', 'TenantNetwork');

export const HOSTED_CLUSTER = resource('hypershift.openshift.io', 'v1beta1', 'hostedclusters', 'HostedCluster');
export const HOSTED_CONTROL_PLANE = resource('hypershift.openshift.io', 'v1beta1', 'hostedcontrolplanes', 'HostedControlPlane');
export const NODE_POOL = resource('hypershift.openshift.io', 'v1beta1', 'nodepools', 'NodePool');
export const VIRTUAL_MACHINE_INSTANCE = resource('kubevirt.io', 'v1', 'virtualmachineinstances', 'VirtualMachineInstance');
export const ROUTE = resource('route.openshift.io', 'v1', 'routes', 'Route');
export const ENDPOINT_SLICE = resource('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice');
export const NETWORK_ATTACHMENT = resource('k8s.cni.cncf.io', 'v1', 'network-attachment-definitions', 'NetworkAttachmentDefinition');

export const HUB_NETWORK = resource('config.openshift.io', 'v1', 'networks', 'Network', false);
export const HUB_INGRESS = resource('config.openshift.io', 'v1', 'ingresses', 'Ingress', false);
export const HUB_DNS = resource('config.openshift.io', 'v1', 'dnses', 'DNS', false);
export const HUB_PROXY = resource('config.openshift.io', 'v1', 'proxies', 'Proxy', false);
export const NODE = resource('', 'v1', 'nodes', 'Node', false);
export const SERVICE_CIDR = resource('networking.k8s.io', 'v1', 'servicecidrs', 'ServiceCIDR', false);
/** Only OpenShift has it, and an edge needs to know. */
export const SECURITY_CONTEXT_CONSTRAINTS = resource(
  'security.openshift.io',
  'v1',
  'securitycontextconstraints',
  'SecurityContextConstraints',
  false,
);

export const NAMESPACE = resource('', 'v1', 'namespaces', 'Namespace', false);
export const SERVICE = resource('', 'v1', 'services', 'Service');
export const POD = resource('', 'v1', 'pods', 'Pod');
/** As kubelet writes them. */
export const POD_EVENT = resource('', 'v1', 'events', 'Event');
const SERVICE_ACCOUNT = resource('', 'v1', 'serviceaccounts', 'ServiceAccount');
export const SECRET = resource('', 'v1', 'secrets', 'Secret');
export const CONFIG_MAP = resource('', 'v1', 'configmaps', 'ConfigMap');
const NETWORK_POLICY = resource('networking.k8s.io', 'v1', 'networkpolicies', 'NetworkPolicy');
const DISRUPTION_BUDGET = resource('policy', 'v1', 'poddisruptionbudgets', 'PodDisruptionBudget');
const STATEFUL_SET = resource('apps', 'v1', 'statefulsets', 'StatefulSet');
const ROLE_BINDING = resource('rbac.authorization.k8s.io', 'v1', 'rolebindings', 'RoleBinding');

/** The kinds of which a tenant has objects of its own: written by us, kept in the ledger, removed with the tenant. */
export const TENANT_RESOURCES: readonly Resource[] = [
  NAMESPACE,
  SERVICE_ACCOUNT,
  ROLE_BINDING,
  NETWORK_POLICY,
  NETWORK_ATTACHMENT,
  SERVICE,
  CONFIG_MAP,
  DISRUPTION_BUDGET,
  STATEFUL_SET,
];
