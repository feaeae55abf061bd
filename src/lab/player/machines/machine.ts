/** The objects of one worker on the hub: Cluster API's Machine, its KubeVirt twin, the VirtualMachine and its running instance. */
import { createHash } from 'node:crypto';
import type { KubeObject, OwnerReference } from '../../../kube/object.ts';
import { controlPlaneNamespace, type HostedCluster, INFRA_ID_LABEL, type Manifest } from '../hosted-cluster.ts';
import { NODE_POOL_ANNOTATION, NODE_POOL_LABEL, type NodePool } from './node-pool.ts';

export interface Worker {
  readonly name: string;
  readonly pool: NodePool;
  readonly cluster: HostedCluster;
  readonly configHash: string;
}

/** What runs, as far as it is known: the address of a secondary network comes only from inside the guest. */
export interface Running {
  readonly node: string;
  readonly address: string | undefined;
  readonly nodeRef: boolean;
  /** When the Node was Ready. */
  readonly readyAt?: string | undefined;
}

const CLUSTER_LABEL = 'cluster.x-k8s.io/cluster-name';

/** OpenShift Virtualization has KubeMacPool write a MAC that stays with the VM; here the name decides it. */
export function macOf(name: string): string {
  const bytes = createHash('sha256').update(name).digest().subarray(0, 5);
  return ['02', ...[...bytes].map((byte) => byte.toString(16).padStart(2, '0'))].join(':');
}

/** First pass: what Cluster API and its provider write. The VirtualMachine's uid then makes it the owner of the instance. */
export function machineObjects({ name, pool, cluster, configHash }: Worker): readonly Manifest[] {
  const namespace = controlPlaneNamespace(cluster);
  const { infraID } = cluster.spec;
  const annotations = { [NODE_POOL_ANNOTATION]: `${pool.metadata.namespace}/${pool.metadata.name}` };
  const labels = { [CLUSTER_LABEL]: infraID, [NODE_POOL_LABEL]: pool.metadata.name };
  const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'KubevirtMachine', name };
  return [
    {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Machine',
      metadata: { name, namespace, labels, annotations },
      spec: {
        clusterName: infraID,
        bootstrap: { dataSecretName: `user-data-${pool.metadata.name}-${configHash}` },
        infrastructureRef,
        providerID: `kubevirt://${name}`,
      },
    },
    {
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
      kind: 'KubevirtMachine',
      metadata: { name, namespace, labels, annotations },
      spec: { providerID: `kubevirt://${name}`, virtualMachineTemplate: { spec: virtualMachineSpec(name, pool, cluster) } },
    },
    {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { name, namespace, labels: vmLabels(pool, cluster), annotations },
      spec: virtualMachineSpec(name, pool, cluster),
    },
  ];
}

export function virtualMachineInstance({ name, pool, cluster }: Worker, vm: KubeObject, running: Running): Manifest {
  const owner: OwnerReference = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    name,
    uid: vm.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
  const networks = networkNames(pool);
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: {
      name,
      namespace: controlPlaneNamespace(cluster),
      labels: { ...vmLabels(pool, cluster), 'kubevirt.io/nodeName': running.node, 'kubevirt.io/vm': name },
      ownerReferences: [owner],
    },
    spec: instanceSpec(name, pool),
    status: {
      phase: 'Running',
      nodeName: running.node,
      interfaces: networks.map(({ name: network }, index) => ({
        name: network,
        mac: macOf(name),
        queueCount: 1,
        infoSource: running.address && index === 0 ? 'domain, guest-agent, multus-status' : 'domain, multus-status',
        ...(running.address && index === 0 ? { interfaceName: 'eth0', ipAddress: running.address, ipAddresses: [running.address] } : {}),
      })),
    },
  };
}

/** What Cluster API copies from the instance; machine-approver compares certificate requests with it. */
export function machineStatus(name: string, { address, nodeRef, readyAt }: Running) {
  return {
    phase: nodeRef ? 'Running' : 'Provisioned',
    initialization: { bootstrapDataSecretCreated: true, infrastructureProvisioned: true },
    addresses: [{ type: 'InternalDNS', address: name }, ...(address ? [{ type: 'InternalIP', address }] : [])],
    ...(nodeRef ? { nodeRef: { name } } : {}),
    ...(readyAt === undefined
      ? {}
      : { conditions: [{ type: 'NodeReady', status: 'True', reason: 'NodeReady', message: '', lastTransitionTime: readyAt }] }),
  };
}

const vmLabels = (pool: NodePool, { spec }: HostedCluster) => ({
  [CLUSTER_LABEL]: spec.infraID,
  [NODE_POOL_LABEL]: pool.metadata.name,
  [INFRA_ID_LABEL]: spec.infraID,
});

function virtualMachineSpec(name: string, pool: NodePool, cluster: HostedCluster) {
  return { runStrategy: 'Always', template: { metadata: { labels: vmLabels(pool, cluster) }, spec: instanceSpec(name, pool) } };
}

function networkNames(pool: NodePool) {
  const networks = pool.spec.platform.kubevirt?.additionalNetworks ?? [];
  return networks.map((network, index) => ({ name: `iface${index + 1}_${network.name.replaceAll('/', '-')}`, nad: network.name }));
}

function instanceSpec(name: string, pool: NodePool) {
  const networks = networkNames(pool);
  const { memory, cores } = pool.spec.platform.kubevirt?.compute ?? {};
  return {
    evictionStrategy: 'External',
    domain: {
      ...(cores ? { cpu: { cores } } : {}),
      ...(memory ? { memory: { guest: memory } } : {}),
      devices: {
        disks: [
          { name: 'rhcos', disk: { bus: 'virtio' } },
          { name: 'cloudinitvolume', disk: { bus: 'virtio' } },
        ],
        interfaces: networks.map((network) => ({ name: network.name, bridge: {}, macAddress: macOf(name) })),
      },
    },
    networks: networks.map((network) => ({ name: network.name, multus: { networkName: network.nad } })),
    volumes: [
      { name: 'rhcos', dataVolume: { name: `${name}-rhcos` } },
      { name: 'cloudinitvolume', cloudInitConfigDrive: { secretRef: { name: `${name}-userdata` } } },
    ],
  };
}
