import type { ObjectRef } from '../api/finding.ts';
import { shortName } from '../api/text.ts';
import type { EdgePlan, Station, TenantPlan } from './tenant-plan.ts';

type Labels = Readonly<Record<string, string>>;

/** On everything that belongs to one tenant: what prunes by it leaves what all tenants share alone. */
export const TENANT = 'hcpio.io/tenant';
/** Selects the edges' pods, by themselves and by every policy. Never `app`: HyperShift's Services and policies select by that. */
export const EDGE_SELECTOR: Labels = { 'app.kubernetes.io/name': 'hcpio-edge' };

/** Another one than the edges': their policies lead to the control plane, and the prober has no business there. */
export const PROBER_SELECTOR: Labels = { 'app.kubernetes.io/name': 'hcpio-prober' };

/** On a pod of an edge: the word by which it is asked to give the VIP to the other one. A new word is a new question. */
export const YIELD = 'hcpio.io/yield';

export const SHARED_LABELS: Labels = { 'app.kubernetes.io/part-of': 'hcpio', 'app.kubernetes.io/managed-by': 'hcpio' };

/** A namespace has no dot, so the first one divides it from the name again. */
export const tenantLabels = ({ tenant }: Pick<TenantPlan, 'tenant'>): Labels => ({
  ...SHARED_LABELS,
  [TENANT]: shortName(tenant.replace('/', '.')),
});

export const edgeLabels = (plan: Pick<TenantPlan, 'tenant'>, edge: Pick<Station, 'name'>): Labels => ({
  ...tenantLabels(plan),
  ...edgeSelector(edge),
});

export const edgeSelector = ({ name }: Pick<Station, 'name'>): Labels => ({
  ...(name === 'prober' ? PROBER_SELECTOR : EDGE_SELECTOR),
  'app.kubernetes.io/instance': name,
});

/** The Service behind which an edge is found by the other one. */
export const peerServiceOf = ({ name }: Pick<EdgePlan, 'name'>): string => `${name}-peer`;

export function tenantRef({ tenant }: Pick<TenantPlan, 'tenant'>): ObjectRef {
  const [namespace = '', name = ''] = tenant.split('/');
  return { kind: 'TenantNetwork', namespace, name };
}
