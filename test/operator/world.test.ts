import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type TenantNetwork, tenantNetwork } from '../../src/api/tenant-network.ts';
import { projections } from '../../src/hosted-cluster/objects.ts';
import { indexObjects, observeTenant, type ProjectedObject } from '../../src/hosted-cluster/select.ts';
import type { WireObject } from '../../src/kube/object.ts';
import { planTenant } from '../../src/tenant/plan.ts';
import { renderTenant } from '../../src/tenant/render.ts';
import { emptyWorld, put } from './filled-world.ts';

/**
 * The world keeps little of each object and not every object. That this little is all that the planner reads is shown here, on the
 * dumps of real hubs and on the examples: it plans and renders the same from the whole objects.
 */
const root = join(import.meta.dirname, '../..');
const fixtures = join(root, 'test/fixtures/hypershift');
const cases: readonly (readonly [string, readonly string[]])[] = [
  ...['blue', 'gray'].flatMap((variant) =>
    ['.', 'stage0-ho-only', 'stage1-nothing-played', 'stage2-infrastructure-ready'].map(
      (stage) => [`${variant} ${stage}`, [join(fixtures, variant, stage), join(root, 'examples/blue')]] as const,
    ),
  ),
  ...['blue', 'all-routes', 'dual-stack', 'nodeport', 'mistakes'].map(
    (name) => [`example ${name}`, [join(root, 'examples', name)]] as const,
  ),
];

function load(dir: string): WireObject[] {
  return readdirSync(dir)
    .filter((file) => file.endsWith('.yaml') && !file.includes('paused') && !file.includes('summary'))
    .flatMap((file) =>
      [...parseAllDocuments(readFileSync(join(dir, file), 'utf8'))].map(
        (document) => (document as { toJS(): unknown }).toJS() as WireObject,
      ),
    )
    .filter((object) => object?.kind !== undefined);
}

/** The first directory wins: a real dump, with the attachment, the machines and the hub of the example. */
function objectsOf(dirs: readonly string[]): WireObject[] {
  const found = new Map<string, WireObject>();
  for (const object of dirs.flatMap(load)) {
    const key = `${object.kind} ${object.metadata.namespace}/${object.metadata.name}`;
    if (!found.has(key)) found.set(key, object);
  }
  return [...found.values()];
}

function whole(objects: readonly WireObject[]): ProjectedObject[] {
  return objects.flatMap((object) => {
    const group = object.apiVersion.includes('/') ? object.apiVersion.split('/')[0] : '';
    const schema = Object.entries(projections).find(([key]) => key === `${group}/${object.kind}`)?.[1];
    // Everything on a hub has a uid; files do not.
    return schema ? [schema.parse({ ...object, metadata: { uid: `uid-of-${object.metadata.name}`, ...object.metadata } })] : [];
  });
}

const tenantOf = (objects: readonly WireObject[]): TenantNetwork => {
  const written = objects.find(({ kind }) => kind === 'TenantNetwork');
  const cluster = objects.find(({ kind }) => kind === 'HostedCluster');
  return tenantNetwork.parse(
    written ?? {
      apiVersion: 'hcpio.io/v1alpha1',
      kind: 'TenantNetwork',
      metadata: { name: cluster?.metadata.name, namespace: 'clusters' },
      spec: { segment: { attachment: 'default/vlan100' } },
    },
  );
};

const nothing = { allocations: [], guestRouter: undefined };

describe('what the world keeps is all that the planner reads', () => {
  test.each(cases)('%s', (_, dirs) => {
    const objects = objectsOf(dirs);
    const tenant = tenantOf(objects);
    const complete = observeTenant(indexObjects([...whole(objects), tenant]), tenant, nothing);
    const world = emptyWorld();
    put(world, ...objects, tenant as unknown as WireObject);
    const kept = observeTenant(world.index, tenant, nothing);
    const plan = planTenant(complete);
    expect(planTenant(kept)).toEqual(plan);
    if (plan.findings.some(({ severity }) => severity === 'error')) return;
    const options = { platform: 'openshift', image: 'edge:test' } as const;
    expect(renderTenant(plan, kept, options)).toEqual(renderTenant(plan, complete, options));
  });

  test('the cases are not all refused', () => {
    const plans = cases.map(([, dirs]) => {
      const objects = objectsOf(dirs);
      const tenant = tenantOf(objects);
      return planTenant(observeTenant(indexObjects([...whole(objects), tenant]), tenant, nothing));
    });
    expect(plans.filter(({ findings }) => !findings.some(({ severity }) => severity === 'error')).length).toBeGreaterThan(5);
  });
});
