/** When the hub can be used: its nodes are Ready and names resolve. */
import type { Lab } from '../contract.ts';
import { waitFor } from '../wait.ts';

interface Listed<Status> {
  readonly items: readonly { readonly metadata: { readonly name: string }; readonly status?: Status }[];
}
interface NodeStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
}
interface DaemonSetStatus {
  readonly numberReady?: number;
}

export async function waitForNodes(lab: Lab, parts: readonly string[], signal: AbortSignal): Promise<void> {
  const look = async () => {
    const nodes = JSON.parse(await lab.kubectl(['get', 'nodes', '-o', 'json'], { signal })) as Listed<NodeStatus>;
    const waiting = nodes.items.flatMap(({ metadata, status }) => {
      const ready = status?.conditions?.find((condition) => condition.type === 'Ready');
      return ready?.status === 'True' ? [] : [`${metadata.name}: ${ready?.message ?? 'its kubelet has not reported'}`];
    });
    if (waiting.length > 0) throw new Error(waiting.join('; '));
    return true;
  };
  await waitFor('the nodes', look, { lab, parts, signal, everyMs: 250 });
}

export async function waitForDns(lab: Lab, parts: readonly string[], signal: AbortSignal): Promise<void> {
  const look = async () => {
    const args = ['get', 'daemonsets', '-n', 'openshift-dns', '-o', 'json'];
    const [dns] = (JSON.parse(await lab.kubectl(args, { signal })) as Listed<DaemonSetStatus>).items;
    const ready = dns?.status?.numberReady ?? 0;
    if (ready < lab.nodes.length) throw new Error(`${ready} of ${lab.nodes.length} DNS pods are ready`);
    return true;
  };
  await waitFor('cluster DNS', look, { lab, parts, signal, everyMs: 250 });
}
