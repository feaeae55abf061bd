/** A container of a pod of the lab, by what its node knows of it: also while nobody can ask the API. */
import type { Lab } from '../../../src/lab/contract.ts';
import { toolPath } from '../../../tools/paths.ts';

interface Pod {
  readonly spec: { readonly nodeName: string };
  readonly status: { readonly containerStatuses: readonly { readonly name: string; readonly containerID: string }[] };
}

/** Sends a signal to its first process. Found now, sent when asked to. */
export async function signalTo(lab: Lab, namespace: string, pod: string, container: string): Promise<(signal: string) => Promise<void>> {
  const { spec, status } = JSON.parse(await lab.kubectl(['get', 'pod', pod, `--namespace=${namespace}`, '--output=json'])) as Pod;
  const id = status.containerStatuses.find(({ name }) => name === container)?.containerID.replace('containerd://', '');
  const socket = lab.nodes.find(({ name }) => name === spec.nodeName)?.containerd.socket;
  if (id === undefined || socket === undefined) throw new Error(`pod ${namespace}/${pod} has no container ${container} that runs`);
  return async (signal) => {
    await lab.run([toolPath('ctr'), `--address=${socket}`, '--namespace=k8s.io', 'tasks', 'kill', `--signal=${signal}`, id]);
  };
}
