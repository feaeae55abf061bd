/**
 * Is what stands on the hub what the plan says? Worked out a second time, from the whole objects as the API server gives them: nothing of
 * the operator's own stores and memories is asked.
 */
import { expect } from 'vitest';
import { type TenantNetwork, tenantNetwork } from '../../src/api/tenant-network.ts';
import type { TenantNetworkStatus } from '../../src/api/tenant-network-status.ts';
import { TENANT, tenantLabels } from '../../src/gateway/labels.ts';
import { earlierIn } from '../../src/hosted-cluster/earlier.ts';
import { projections } from '../../src/hosted-cluster/objects.ts';
import { indexObjects, observeTenant, type ProjectedObject } from '../../src/hosted-cluster/select.ts';
import { identityOf, type Resource, refOf, type WireObject, withKind } from '../../src/kube/object.ts';
import * as r from '../../src/operator/resources.ts';
import { planTenant } from '../../src/tenant/plan.ts';
import { renderTenant, type TenantRenderOptions } from '../../src/tenant/render.ts';
import { eventually, type Hub } from './hub.ts';

const READ: readonly Resource[] = [
  ...[r.HOSTED_CLUSTER, r.HOSTED_CONTROL_PLANE, r.NODE_POOL, r.VIRTUAL_MACHINE_INSTANCE, r.ROUTE, r.SERVICE, r.ENDPOINT_SLICE],
  ...[r.NETWORK_ATTACHMENT, r.HUB_NETWORK, r.HUB_INGRESS, r.HUB_DNS, r.HUB_PROXY, r.NODE, r.SERVICE_CIDR],
];

/** What there is of a tenant: the objects that should be there, and those that are. */
export interface Comparison {
  readonly tenant: string;
  readonly wanted: readonly WireObject[];
  readonly found: readonly WireObject[];
  readonly status: TenantNetworkStatus;
}

export async function compare(hub: Hub, options: Partial<TenantRenderOptions> = {}): Promise<readonly Comparison[]> {
  const objects = (
    await Promise.all(READ.map(async (resource) => (await hub.list(resource)).map((object) => withKind(object, resource))))
  ).flat();
  const wires = (await hub.list(r.TENANT_NETWORK)).map((object) => withKind(object, r.TENANT_NETWORK));
  const tenants = wires.map((object) => ({ object, tenant: tenantNetwork.parse(object) }));
  const own = await ownObjects(hub);
  const index = indexObjects([...projected(objects), ...tenants.map(({ tenant }) => tenant)]);
  return tenants.map(({ object, tenant }) => {
    const status = (object['status'] ?? {}) as TenantNetworkStatus;
    const observed = observeTenant(index, tenant, earlierIn(status));
    const manifests = renderTenant(planTenant(observed), observed, { platform: 'kubernetes', ...options }).manifests.map(
      (manifest) => canonical(manifest) as WireObject,
    );
    return { tenant: keyOf(tenant), wanted: manifests, found: own.get(labelOf(tenant)) ?? [], status };
  });
}

/** Everything that carries the label of some tenant, by tenant. */
export async function ownObjects(hub: Hub): Promise<ReadonlyMap<string, readonly WireObject[]>> {
  const lists = r.TENANT_RESOURCES.map(async (resource) =>
    (await hub.list(resource, undefined, TENANT)).map((object) => withKind(object, resource)),
  );
  return Map.groupBy((await Promise.all(lists)).flat(), ({ metadata }) => metadata.labels?.[TENANT] ?? '');
}

export interface Expectation extends Partial<TenantRenderOptions> {
  readonly patienceMs?: number;
}

const PATIENCE_MS = 80_000;

/** Waits until every tenant is as planned, then shows it by comparing whole objects. */
export async function expectAsPlanned(hub: Hub, expectation: Expectation = {}): Promise<readonly Comparison[]> {
  const { patienceMs = PATIENCE_MS, ...options } = expectation;
  const settled = (one: Comparison) =>
    one.wanted.length === one.found.length && one.wanted.every((wanted) => one.found.some((found) => matches(found, wanted)));
  let last: readonly Comparison[] = [];
  const inVain = await eventually(
    'every tenant as planned',
    async () => {
      last = await compare(hub, options);
      return last.length > 0 && last.every((one) => settled(one) && isApplied(one.status));
    },
    AbortSignal.timeout(patienceMs),
  ).then(
    () => undefined,
    (error: unknown) => error,
  );
  // In vain: then the comparison says what is different, which is more than that the time was up.
  for (const { wanted, found } of last) {
    expect(found.map(refOf).map(identityOf).sort()).toEqual(wanted.map(refOf).map(identityOf).sort());
    for (const object of wanted) expect(found.find((one) => identityOf(refOf(one)) === identityOf(refOf(object)))).toMatchObject(object);
  }
  const unapplied = last.filter(({ status }) => !isApplied(status));
  expect(unapplied.map(({ tenant, status }) => [tenant, status.conditions])).toEqual([]);
  if (inVain !== undefined) throw inVain;
  return last;
}

const isApplied = ({ conditions }: TenantNetworkStatus): boolean =>
  conditions?.some(({ type, status }) => type === 'Applied' && status === 'True') ?? false;

/** Everything of the wanted is in the found, lists item by item. */
function matches(found: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return found === wanted;
  if (typeof found !== 'object' || found === null) return Object.keys(wanted).length === 0;
  if (Array.isArray(wanted))
    return Array.isArray(found) && found.length === wanted.length && wanted.every((item, index) => matches(found[index], item));
  return Object.entries(wanted).every(([name, value]) => value === undefined || matches((found as Record<string, unknown>)[name], value));
}

/** The same of what was sent: the API server writes some of it in another way. */
export const contains = (found: unknown, sent: unknown): boolean => matches(found, canonical(sent));

/** The API server writes quantities in the largest unit that holds them. */
function canonical(value: unknown): unknown {
  if (typeof value === 'string')
    return value.replace(/^(\d+)Mi$/, (text, digits: string) => (Number(digits) % 1024 === 0 ? `${Number(digits) / 1024}Gi` : text));
  if (Array.isArray(value)) return value.map(canonical);
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, canonical(member)]))
    : value;
}

function projected(objects: readonly WireObject[]): ProjectedObject[] {
  return objects.flatMap((object) => {
    const group = object.apiVersion.includes('/') ? object.apiVersion.split('/')[0] : '';
    const schema = Object.entries(projections).find(([key]) => key === `${group}/${object.kind}`)?.[1];
    return schema ? [schema.parse(object)] : [];
  });
}

const keyOf = ({ metadata }: TenantNetwork): string => `${metadata.namespace}/${metadata.name}`;
export const labelOf = ({ metadata }: Pick<TenantNetwork, 'metadata'>): string =>
  tenantLabels({ tenant: `${metadata.namespace}/${metadata.name}` })[TENANT] ?? '';
