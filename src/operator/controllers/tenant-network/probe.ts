/** What can be seen now of what was planned: the edges' pods, the pods behind the endpoints, and the segment itself. */

import type { PlannedEndpoint, TenantPlan } from '../../../gateway/tenant-plan.ts';
import { parseUpstream } from '../../../gateway/upstreams.ts';
import type { Observed } from '../../../hosted-cluster/observed.ts';
import { readReport } from '../../../probes/read-report.ts';
import type { ServedReport } from '../../../probes/report.ts';
import type { GuardReport } from '../../segment/guard-reports.ts';
import { notProbed, proofOf, type SegmentProof } from '../../segment/proof.ts';
import { SERVICE_NAME } from '../../world/sources.ts';
import type { Applied } from './apply.ts';
import type { Context } from './context.ts';
import { type EdgeState, edgeStates } from './edges.ts';
import { explain } from './explain.ts';
import type { Tenant } from './observe.ts';
import type { Planned } from './plan.ts';
import { reportedProof } from './reported-proof.ts';

export interface EndpointState extends PlannedEndpoint {
  readonly problem: { readonly kind: 'unpublished' | 'noPods'; readonly text: string } | undefined;
}

export interface Seen {
  readonly edges: readonly EdgeState[];
  readonly endpoints: readonly EndpointState[];
  readonly proof: SegmentProof;
  /** What the guards of the edges have noticed lately; absent where nobody asked them. */
  readonly guards?: readonly GuardReport[];
}

export async function probe(tenant: Tenant, planned: Planned, applied: Applied, context: Context, signal: AbortSignal): Promise<Seen> {
  const { plan } = planned;
  if (plan === undefined || tenant.observed === undefined)
    return { edges: [], endpoints: [], proof: notProbed('NotProbed', 'there is no plan') };
  const edges = planned.verdict === 'go' ? await explain(edgeStates(plan, tenant.pods), context.probeWords, signal) : [];
  const endpoints = endpointStates(plan, tenant.observed);
  // Nobody can answer on the segment before an edge is there; asking would only cost the time it takes to hear nothing.
  const askable = applied.outcome === 'done' && edges.some(({ ready }) => ready);
  const proof = askable
    ? await proofFor(tenant, plan, applied, context, signal)
    : notProbed('NotProbed', 'there is no edge yet that could answer');
  const running = edges.flatMap(({ name, pod }) => (pod?.address && !pod.terminating ? [{ edge: name, address: pod.address }] : []));
  return { edges, endpoints, proof, guards: context.guards(tenant.key, running) };
}

/** The same look, but one that begins now. Undefined: there is nobody to take it, and never will be. */
export async function proofNow(tenant: Tenant, applied: Done, context: Context, signal: AbortSignal): Promise<SegmentProof | undefined> {
  if (applied.probes === undefined) return undefined;
  return proofOf(await reportNow(tenant, context, signal), tenant.key, applied.probes);
}

/** What the prober sees in a look that begins now, by whatever list it has. Undefined: it does not answer. */
export async function reportNow(tenant: Tenant, { lookNow }: Context, signal: AbortSignal): Promise<ServedReport | undefined> {
  const address = proberOf(tenant)?.address;
  if (!address) return undefined;
  const body = await lookNow(address, AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)])).catch(() => '');
  return body === '' ? undefined : readReport(body);
}

/** Asked when a change begins: what the status says may be of a minute ago, and while the newest plan was not looked at it says nothing. */
export const holderNow = async (tenant: Tenant, context: Context, signal: AbortSignal): Promise<string | undefined> =>
  (await reportNow(tenant, context, signal))?.holder ?? tenant.status.edges?.find(({ holdsVip }) => holdsVip)?.name;

/** A look takes some seconds; longer when something does not answer. */
const LOOK_MS = 15_000;

const proberOf = ({ pods }: Tenant) => pods.find(({ edge, terminating }) => edge === 'prober' && !terminating);

async function proofFor(tenant: Tenant, plan: TenantPlan, applied: Done, context: Context, signal: AbortSignal): Promise<SegmentProof> {
  if (plan.prober === undefined || applied.probes === undefined)
    return notProbed('NoProber', 'the segment has no address left to probe it from');
  const pod = proberOf(tenant);
  // One that has an address is asked, whatever kubelet says of it: its answer, or that there is none, is what counts.
  const trouble = pod === undefined ? 'the prober has no pod yet' : `pod ${pod.metadata.name} is not ready: ${pod.trouble}`;
  return context.probeSegment(
    tenant.key,
    { address: pod?.address ?? '', trouble: pod?.address ? '' : trouble, list: applied.probes },
    signal,
    reportedProof(tenant.status),
  );
}

type Done = Extract<Applied, { outcome: 'done' }>;

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
