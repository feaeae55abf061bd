/** Plays the StatefulSet controller, kubelet and Multus for the pods of one edge namespace: as little of each as an edge needs to be seen. */
import type { WireObject } from '../../src/kube/object.ts';
import { POD } from '../../src/operator/resources.ts';
import type { Hub } from './hub.ts';

interface Template {
  readonly metadata: { readonly labels: Record<string, string>; readonly annotations: Record<string, string> };
  readonly spec: object;
}

const STATEFUL_SET = { group: 'apps', version: 'v1', plural: 'statefulsets', kind: 'StatefulSet', namespaced: true };

const POD_ADDRESS = '10.128.0.9';

/** Makes the pod that the StatefulSet asks for now, on net1 with these addresses, and ready. */
export async function runPod(
  hub: Hub,
  namespace: string,
  edge: 'edge-a' | 'edge-b' | 'prober',
  addresses: readonly string[],
  ready = true,
): Promise<WireObject> {
  const { spec } = (await hub.client.get(STATEFUL_SET, { namespace, name: edge }, hub.signal)) as unknown as {
    spec: { template: Template };
  };
  const { metadata } = spec.template;
  const status = JSON.stringify([
    { interface: 'eth0', ips: [POD_ADDRESS] },
    { name: `${namespace}/${edge}`, interface: 'net1', ips: addresses, mac: '02:00:00:00:00:01' },
  ]);
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${edge}-0`,
      namespace,
      labels: metadata.labels,
      annotations: { ...metadata.annotations, 'k8s.v1.cni.cncf.io/network-status': status },
    },
    // What the template says is StatefulSet controller's business; a container is enough to be a pod.
    spec: {
      nodeName: `node-of-${edge}`,
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'gateway', image: 'edge' }],
      serviceAccountName: 'edge',
    },
  };
  await hub.client.create(POD, pod, hub.signal);
  return turnPod(hub, pod.metadata, ready);
}

/** Says that it is ready, or that its container runs and is not. */
export function turnPod(hub: Hub, pod: { readonly namespace: string; readonly name: string }, ready: boolean): Promise<WireObject> {
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
  const containerStatuses = [
    { name: 'gateway', image: 'edge', imageID: '', ready, started: true, restartCount: 0, state: { running: {} } },
  ];
  const body = { status: { phase: 'Running', podIP: POD_ADDRESS, podIPs: [{ ip: POD_ADDRESS }], conditions, containerStatuses } };
  return hub.client.patch(POD, pod, { type: 'merge', body }, hub.signal, { subresource: 'status' });
}
