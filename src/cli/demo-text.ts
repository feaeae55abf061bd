/** The end of the demonstration: what was reached, how to look around, what to break. */
import type { Lab, WorkerReport } from '../lab/contract.ts';
import { CLUSTER, CLUSTERS, SEGMENT } from '../lab/player/scenario.ts';
import { columns } from './layout.ts';
import type { Terminal } from './terminal.ts';

export interface Reached {
  readonly worker: WorkerReport;
  readonly seconds: number;
  /** The edge with the VIP: deleting the other one shows nothing. */
  readonly holder: string | undefined;
}

export async function ending(lab: Lab, { worker, seconds, holder = 'edge-a' }: Reached, { theme }: Terminal): Promise<string> {
  const nodes = await lab.kubectl(['get', 'nodes'], { kubeconfig: lab.hostedKubeconfig });
  const flag = lab.name === 'lab' ? '' : ` --name ${lab.name}`;
  const edges = `${CLUSTERS}-${CLUSTER}-edge`;
  return [
    '',
    theme.strong(
      `${worker.name} joined through the gateway. From nothing to Ready: ${seconds.toFixed(0)} s. What its own API server says:`,
    ),
    ...nodes
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`),
    '',
    theme.strong('Look around'),
    ...columns([
      [`bin/hcpio lab shell hub-cp${flag}`, 'a shell on the hub; in it:'],
      [`  hcpio status ${CLUSTERS}/${CLUSTER} --watch`, 'how the tenant network fares; leave it open while you break things'],
      [`  hcpio leases ${CLUSTERS}/${CLUSTER}`, 'who has which address, as both edges know it'],
      [`  hcpio connections ${CLUSTERS}/${CLUSTER}`, 'what each VM dialled through the gateway'],
      [`  hcpio verify ${CLUSTERS}/${CLUSTER}`, 'the probes from the segment once more'],
      [`bin/hcpio lab shell ${worker.name}${flag}`, 'the VM from inside: try to reach anything but the gateway'],
      [`bin/hcpio lab capture ${SEGMENT} --out v.pcap${flag}`, 'what crosses the segment'],
      [`bin/hcpio lab status${flag}`, 'what of all this is real, and what is played'],
    ]),
    '',
    theme.strong('Break it, in the shell on the hub'),
    ...columns([
      [`kubectl delete pod -n ${edges} ${holder}-0`, 'the other edge takes the VIP, the Node stays Ready'],
      ['kubectl scale -n hcpio-system deployment/hcpio-operator --replicas 0', 'nothing of the tenant needs the operator'],
      [`kubectl patch nodepool -n ${CLUSTERS} ${CLUSTER} --type merge -p '{"spec":{"replicas":2}}'`, 'a second VM'],
    ]),
    '',
    theme.strong('Take it away'),
    ...columns([[`bin/hcpio lab down${flag}`, 'nothing is left']]),
    '',
  ].join('\n');
}
