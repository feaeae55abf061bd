/**
 * Why a container of an edge runs and yet is not ready. Its probe knows: kubelet puts what the probe printed into an event of the
 * pod, and nowhere else. Asked for only while something is wrong; at rest nobody reads events.
 */
import { resourcePath } from '../../../kube/object.ts';
import type { Transport } from '../../../kube/transport.ts';
import { may, type PolicyRule } from '../../rbac.ts';
import { POD_EVENT } from '../../resources.ts';
import type { EdgePod } from '../../world/edge-pod.ts';
import type { EdgeState } from './edges.ts';

/** What the probe of the pod's unready container printed last; undefined when nobody has said anything yet. */
export type ProbeWords = (pod: EdgePod, signal: AbortSignal) => Promise<string | undefined>;

export const probeWordsRules: readonly PolicyRule[] = [may(['list'], POD_EVENT)];

interface PodEvent {
  readonly message?: string;
  readonly lastTimestamp?: string | null;
  readonly involvedObject: { readonly fieldPath?: string };
}

export const probeWordsFrom =
  (transport: Transport): ProbeWords =>
  async ({ metadata: { namespace, uid }, unready }, signal) => {
    const query = { fieldSelector: `involvedObject.uid=${uid},reason=Unhealthy` };
    const { body } = await transport.request<{ readonly items: readonly PodEvent[] }>(
      { path: resourcePath(POD_EVENT, namespace), query },
      signal,
    );
    return lastWords(body.items, unready ?? '');
  };

const FAILED = 'Readiness probe failed: ';

export function lastWords(events: readonly PodEvent[], container: string): string | undefined {
  const said = events
    .filter(({ involvedObject, message }) => involvedObject.fieldPath === `spec.containers{${container}}` && message?.startsWith(FAILED))
    .sort((a, b) => ((a.lastTimestamp ?? '') < (b.lastTimestamp ?? '') ? -1 : 1));
  return said.at(-1)?.message?.slice(FAILED.length).trim();
}

/** The same edges, with what their probes say of those that are not ready. */
export const explain = (edges: readonly EdgeState[], words: ProbeWords, signal: AbortSignal): Promise<readonly EdgeState[]> =>
  Promise.all(
    edges.map(async (edge) => {
      if (edge.problem?.kind !== 'notReady' || edge.pod?.unready === undefined || edge.pod.terminating) return edge;
      const said = await words(edge.pod, signal);
      return said === undefined ? edge : { ...edge, problem: problemOf(edge.pod, said) };
    }),
  );

/** The first words of every probe about a file that its daemon would not take; see deploy/edge. */
const REFUSED = /^(\S+) was refused: (.*)/s;

function problemOf({ metadata: { namespace, name }, unready = '' }: EdgePod, said: string): EdgeState['problem'] {
  const command = `kubectl logs --namespace ${namespace} ${name} --container ${unready}`;
  const refused = REFUSED.exec(said);
  if (refused === null) return { kind: 'notReady', text: `pod ${name} is not ready: container ${unready} says: ${short(said)}` };
  const [, file, why = ''] = refused;
  return {
    kind: 'refused',
    text: `pod ${name} serves its last good configuration: container ${unready} refused ${file}: ${short(why)}; see: ${command}`,
  };
}

const short = (text: string): string => (text.length > 400 ? `${text.slice(0, 400)} ...` : text).trim();
