/**
 * The TenantNetwork controller: the order, and nothing else. Whoever reads this knows the product; each verb is a file.
 */
import type { Next, Reconcile } from '../../../kube/controller.ts';
import type { Key } from '../../../kube/object.ts';
import { apply } from './apply.ts';
import { claim } from './claim.ts';
import type { Context } from './context.ts';
import { nextLook } from './next-look.ts';
import { observe } from './observe.ts';
import { planFor } from './plan.ts';
import { probe } from './probe.ts';
import { report } from './report.ts';
import { refresh, roll } from './roll.ts';
import { takeDown } from './take-down.ts';

async function reconcile(key: Key, context: Context, signal: AbortSignal): Promise<Next> {
  const tenant = await observe(key, context, signal);
  if (tenant === undefined) {
    context.forgetSegment(key);
    return undefined;
  }
  if (tenant.object.metadata.deletionTimestamp) return takeDown(tenant, context, signal);
  await claim(tenant, context, signal);
  const planned = planFor(tenant);
  const applied = await apply(tenant, planned, context, signal);
  await refresh(tenant, applied, context, signal);
  const seen = await probe(tenant, planned, applied, context, signal);
  const againMs = await roll(tenant, applied, seen, context, signal);
  await report(tenant, planned, applied, seen, context, signal);
  return nextLook(applied, seen, againMs);
}

/** The reconciler that a controller runs. */
export const tenantNetworkReconciler =
  (base: Omit<Context, 'failures'>): Reconcile =>
  (key, { signal, failures }) =>
    reconcile(key, { ...base, failures }, signal);
