import { attempt, type Finding } from '../api/finding.ts';
import { fromShorthand } from '../api/shorthand.ts';
import { hostedClusterName, type TenantNetwork } from '../api/tenant-network.ts';
import type { TenantPlan } from '../gateway/tenant-plan.ts';
import { NOTHING_EARLIER, type Observed } from '../hosted-cluster/observed.ts';
import { indexObjects, observeTenant } from '../hosted-cluster/select.ts';
import { planTenant } from '../tenant/plan.ts';
import { Failure } from './failure.ts';
import type { Input, PlacedFinding } from './load.ts';

export interface PlannedTenant {
  readonly observed: Observed;
  readonly plan: TenantPlan;
  /** The findings of the plan with their places in the files. */
  readonly findings: readonly PlacedFinding[];
}

export interface Planned {
  readonly tenants: readonly PlannedTenant[];
  /** About tenants that could not be planned at all. */
  readonly findings: readonly PlacedFinding[];
}

/** Plans every tenant of the input, or the one that was asked for. The others are looked at all the same: they may be in its way. */
export function planTenants(input: Input, only: string | undefined): Planned {
  const { tenants, findings } = tenantsOf(input);
  const wanted = only === undefined ? tenants : tenants.filter((tenant) => keyOf(tenant) === only);
  if (only !== undefined && wanted.length === 0)
    throw new Failure(`there is no tenant ${only} in the input; it has ${tenants.map(keyOf).sort().join(', ') || 'none'}`);
  const index = indexObjects([...input.objects.filter((object) => object.kind !== 'TenantNetwork'), ...tenants]);
  const place = placer(input);
  return {
    findings: findings.map(place),
    tenants: wanted.map((tenant) => {
      // The router of the guest is read through its kubeconfig, which no file holds.
      const observed = observeTenant(index, tenant, input.earlier.get(keyOf(tenant)) ?? NOTHING_EARLIER);
      const plan = planTenant(observed);
      return { observed, plan, findings: plan.findings.map(place) };
    }),
  };
}

/** TenantNetworks as written, then those that an annotation stands for. One that is written out wins (HCPIO-TEN-008 tells a difference). */
function tenantsOf(input: Input): { readonly tenants: readonly TenantNetwork[]; readonly findings: readonly Finding[] } {
  const written = input.objects.filter((object) => object.kind === 'TenantNetwork');
  const served = new Set(written.flatMap((tenant) => [keyOf(tenant), `${tenant.metadata.namespace}/${hostedClusterName(tenant)}`]));
  const meant = input.objects.flatMap((object) =>
    object.kind === 'HostedCluster' && !served.has(`${object.metadata.namespace}/${object.metadata.name}`)
      ? [attempt(() => fromShorthand(object))]
      : [],
  );
  return { tenants: [...written, ...meant.flatMap(({ value }) => value ?? [])], findings: meant.flatMap(({ findings }) => findings) };
}

const keyOf = ({ metadata }: TenantNetwork): string => `${metadata.namespace}/${metadata.name}`;

const placer =
  (input: Input) =>
  (finding: Finding): PlacedFinding => {
    const at = input.locate(finding.object, finding.path);
    return at === undefined ? finding : { ...finding, at };
  };
