/** Reads tenant networks from a cluster, and what stands beside them as far as the user may see it. */
import { nearest } from '../api/nearest.ts';
import { EDGE_SELECTOR } from '../gateway/labels.ts';
import { isForbidden, isNotFound } from '../kube/errors.ts';
import { listAll, type Selection } from '../kube/list-pager.ts';
import { keyOf, type Resource, splitKey, type WireObject } from '../kube/object.ts';
import { NODE_POOL, POD, TENANT_NETWORK } from '../operator/resources.ts';
import { namespacesOf, tenantOf } from '../operator/world/tenant.ts';
import type { Cluster } from './cluster.ts';
import { Failure } from './failure.ts';
import type { TenantObjects } from './tenant-view.ts';

const NOT_INSTALLED =
  'this cluster has no TenantNetworks: hcpio is not installed there (kubectl apply --server-side -k deploy/default), or it is the wrong cluster (--context)';

/** Of one namespace, or of all of them. */
export async function listTenants({ client }: Cluster, namespace: string | undefined, signal: AbortSignal): Promise<readonly WireObject[]> {
  const selection: Selection = { resource: TENANT_NETWORK, ...(namespace === undefined ? {} : { namespace }) };
  const found = await listAll(client.transport, selection, signal).catch((error: unknown) => {
    throw isNotFound(error) ? new Failure(NOT_INSTALLED) : error;
  });
  return found.toSorted((a, b) => keyOf(a.metadata).localeCompare(keyOf(b.metadata)));
}

/** `name` may be `namespace/name`. A name that nobody has is told with the one that was probably meant. */
export async function findTenant(cluster: Cluster, name: string, signal: AbortSignal): Promise<WireObject> {
  const wanted = name.includes('/') ? splitKey(name) : { namespace: cluster.namespace, name };
  const { namespace = cluster.namespace } = wanted;
  const found = await cluster.client.find(TENANT_NETWORK, { namespace, name: wanted.name }, signal);
  if (found !== undefined) return found;
  throw new Failure(
    `there is no tenant network ${namespace}/${wanted.name}${hint(`${namespace}/${wanted.name}`, await others(cluster, namespace, signal))}`,
  );
}

/** All that may be seen: whoever may not list everywhere gets a hint of the own namespace. */
async function others(cluster: Cluster, namespace: string, signal: AbortSignal): Promise<readonly string[]> {
  const all = await listTenants(cluster, undefined, signal).catch((error: unknown) => {
    if (!isForbidden(error)) throw error;
    return listTenants(cluster, namespace, signal);
  });
  return all.map(({ metadata }) => keyOf(metadata));
}

function hint(wanted: string, others: readonly string[]): string {
  const [, name] = wanted.split('/');
  const elsewhere = others.find((key) => key.endsWith(`/${name}`));
  const meant = elsewhere ?? nearest(wanted, others);
  if (meant !== undefined) return `; did you mean ${meant}?`;
  return others.length === 0
    ? '; there is none at all'
    : `; there are ${others.slice(0, 10).join(', ')}${others.length > 10 ? ', ...' : ''}`;
}

/** Where the pods and the NodePools of a tenant are. */
export function surroundings(tenant: WireObject): { readonly pods: Selection; readonly nodePools: Selection } {
  const kept = tenantOf(tenant);
  const labelSelector = Object.entries(EDGE_SELECTOR)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  return {
    pods: { resource: POD, namespace: namespacesOf(kept).edge, labelSelector },
    nodePools: { resource: NODE_POOL, namespace: kept.metadata.namespace },
  };
}

export async function readTenant(cluster: Cluster, tenant: WireObject, signal: AbortSignal): Promise<TenantObjects> {
  const { pods, nodePools } = surroundings(tenant);
  const notes: string[] = [];
  const read = async (selection: Selection): Promise<readonly WireObject[] | undefined> => {
    try {
      return await listAll(cluster.client.transport, selection, signal);
    } catch (error) {
      if (isForbidden(error)) notes.push(unreadable(selection.resource, selection.namespace));
      else if (!isNotFound(error)) throw error;
      return undefined;
    }
  };
  const [seenPods, seenPools] = await Promise.all([read(pods), read(nodePools)]);
  return { tenant, pods: seenPods, nodePools: seenPools, notes };
}

export const unreadable = ({ plural }: Resource, namespace = ''): string =>
  `you may not list ${plural} in namespace ${namespace}, so they are shown as the operator reported them, or not at all`;
