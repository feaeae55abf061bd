/** What can be seen now of what was planned: the edges' pods, the pods behind the endpoints, and the segment itself. */

import type { EdgePlan, PlannedEndpoint, TenantPlan } from '../../../gateway/tenant-plan.ts';
import { parseUpstream } from '../../../gateway/upstreams.ts';
import type { Observed } from '../../../hosted-cluster/observed.ts';
import type { Key } from '../../../kube/object.ts';
import { SERVICE_NAME } from '../../world/sources.ts';
import type { Applied } from './apply.ts';
import type { Context } from './context.ts';
import { type EdgeState, edgeStates } from './edges.ts';
import { explain } from './explain.ts';
import type { Tenant } from './observe.ts';
import type { Planned } from './plan.ts';

/** What a look from the segment found. `againMs`: when to look again without being asked. */
export type SegmentProof =
  | { readonly outcome: 'notProbed' }
  | {
      readonly outcome: 'proven' | 'failed';
      /** What was seen, and what is waited for, as one sentence. */
      readonly message: string;
      /** The edge that holds the floating address. */
      readonly holder?: EdgePlan['name'];
      /** The endpoints that completed a TLS handshake. */
      readonly answered: readonly PlannedEndpoint['service'][];
      readonly againMs?: number;
    };

/** Looks at the segment from the segment. Given to the operator from outside, because it needs a place on the segment to look from. */
export type ProbeSegment = (tenant: Key, plan: TenantPlan, edges: readonly EdgeState[], signal: AbortSignal) => Promise<SegmentProof>;

export const nobodyProbes: ProbeSegment = async () => ({ outcome: 'notProbed' });

export interface EndpointState extends PlannedEndpoint {
  readonly problem: { readonly kind: 'unpublished' | 'noPods'; readonly text: string } | undefined;
}

export interface Seen {
  readonly edges: readonly EdgeState[];
  readonly endpoints: readonly EndpointState[];
  readonly proof: SegmentProof;
}

export async function probe(tenant: Tenant, planned: Planned, applied: Applied, context: Context, signal: AbortSignal): Promise<Seen> {
  const { plan } = planned;
  if (plan === undefined || tenant.observed === undefined) return { edges: [], endpoints: [], proof: { outcome: 'notProbed' } };
  const edges = planned.verdict === 'go' ? await explain(edgeStates(plan, tenant.pods), context.probeWords, signal) : [];
  const endpoints = endpointStates(plan, tenant.observed);
  // Nobody can answer on the segment before an edge is there; asking would only cost the time it takes to hear nothing.
  const askable = applied.outcome === 'done' && edges.some(({ ready }) => ready);
  const proof = askable ? await context.probeSegment(tenant.key, plan, edges, signal) : ({ outcome: 'notProbed' } as const);
  return { edges, endpoints, proof };
}

export const endpointStates = (plan: TenantPlan, observed: Observed): readonly EndpointState[] =>
  plan.endpoints.map((endpoint) => ({ ...endpoint, problem: endpointProblem(endpoint, observed) }));

function endpointProblem({ service, host, port, upstream }: PlannedEndpoint, observed: Observed): EndpointState['problem'] {
  const { namespace, name } = parseUpstream(upstream);
  if (host === null || port === null) return { kind: 'unpublished', text: `HyperShift has not published ${service} yet` };
  if (!observed.services.some(({ metadata }) => metadata.name === name)) {
    return { kind: 'unpublished', text: `Service ${namespace}/${name} is not there yet` };
  }
  const slices = observed.endpointSlices.filter(({ metadata }) => metadata.labels[SERVICE_NAME] === name);
  const ready = slices.some(({ endpoints }) => endpoints?.some(({ conditions }) => conditions.ready !== false));
  return ready ? undefined : { kind: 'noPods', text: `no pod behind Service ${namespace}/${name} is ready` };
}
