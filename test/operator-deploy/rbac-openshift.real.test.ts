/**
 * What OpenShift needs beyond deploy/default: rights that its admission asks for and no audit log shows. The API server runs with the same
 * plugin (OwnerReferencesPermissionEnforcement), and each right is shown to be needed by taking it away. What stays unproven without an
 * OpenShift: that its constraints let an edge in.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCC_ROLE } from '../../src/gateway/scc.ts';
import { Client } from '../../src/kube/client.ts';
import { systemClock } from '../../src/kube/clock.ts';
import { isForbidden } from '../../src/kube/errors.ts';
import { apiVersionOf, type Resource, type WireObject } from '../../src/kube/object.ts';
import { silentLogger } from '../../src/kube/telemetry.ts';
import { Transport } from '../../src/kube/transport.ts';
import { meters } from '../../src/operator/metrics.ts';
import { createOperator } from '../../src/operator/operator.ts';
import type { PolicyRule } from '../../src/operator/rbac.ts';
import { HOSTED_CLUSTER, TENANT_NETWORK, TENANT_RESOURCES } from '../../src/operator/resources.ts';
import { AuditLog, OPERATOR_USER } from '../operator/audit.ts';
import { eventually, type Hub, startHub } from '../operator/hub.ts';
import * as play from '../operator/player.ts';
import { FOREIGN_CRDS } from './foreign-crds.ts';
import { asOperator, installedObjects } from './installation.ts';

const EXTRA_ROLE = 'hcpio-operator-openshift';
const played = play.tenant(1);
const edge = `${played.controlPlane}-edge`;
const audit = new AuditLog({ reads: true });
const dir = mkdtempSync(join(tmpdir(), 'hcpio-openshift-'));
const stop = new AbortController();
let hub: Hub;
let transport: Transport;
let running: Promise<void>;

beforeAll(async () => {
  hub = await startHub({
    audit,
    apiserverArgs: ['--enable-admission-plugins=OwnerReferencesPermissionEnforcement'],
  });
  const [constraints] = FOREIGN_CRDS;
  const file = join(dir, 'scc.json');
  writeFileSync(file, JSON.stringify(constraints));
  await hub.controlPlane.applyCrds([file]);
  await hub.apply(play.namespace('hcpio-system'));
  for (const object of installedObjects('openshift')) if (/Role|ServiceAccount/.test(object.kind)) await hub.apply(object);
  await play.playTenant(hub, played);
  transport = new Transport({ connection: asOperator(hub.controlPlane), userAgent: 'rbac-test' });
  const options = { transport, clock: systemClock, random: Math.random, instance: 'only', lease: undefined, dryRun: false, workers: 2 };
  const log = { ...silentLogger, child: () => silentLogger };
  const operator = await createOperator({ ...options, platform: undefined, edge: {}, meters: meters(), log }, stop.signal);
  running = operator.run([], stop.signal);
});
afterAll(async () => {
  stop.abort();
  await running;
  transport?.close();
  await hub?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const roleBinding = TENANT_RESOURCES.find(({ kind }) => kind === 'RoleBinding') as Resource;
const bindings = () => hub.list(roleBinding, edge);

test('an edge gets its binding, the TenantNetwork its owner, and both go again; nothing is forbidden', async () => {
  const key = { namespace: played.namespace, name: played.name };
  // Retain, so that the binding is deleted by itself and not with the namespace.
  await hub.apply(play.tenantNetwork(played, { deletionPolicy: 'Retain' }));
  await eventually('the binding', async () => (await bindings()).length > 0);
  const made = await eventually('the owner', async () => {
    const found = await hub.client.get<WireObject>(TENANT_NETWORK, key, hub.signal);
    return found.metadata.ownerReferences && found;
  });
  expect(made.metadata.ownerReferences?.map(({ kind, name }) => [kind, name])).toEqual([['HostedCluster', played.name]]);
  const [binding] = await bindings();
  await hub.client.patch(
    roleBinding,
    { namespace: edge, name: binding?.metadata.name ?? '' },
    { type: 'json', body: [{ op: 'replace', path: '/subjects/0/name', value: 'somebody' }] },
    hub.signal,
  );
  await eventually('the repair', async () => JSON.stringify(await bindings()).includes('somebody') === false);
  await hub.client.delete(TENANT_NETWORK, key, hub.signal);
  await eventually('the end', async () => (await hub.client.find(TENANT_NETWORK, key, hub.signal)) === undefined);
  expect(await bindings()).toEqual([]);
  expect(audit.requests().filter(({ user, code }) => user === OPERATOR_USER && code === 403)).toEqual([]);
  const verbs = audit.byOperator().filter(({ resource }) => resource === 'rolebindings');
  expect([...new Set(verbs.map(({ verb, code }) => (code === 201 ? 'create' : verb)))].sort()).toEqual(['create', 'delete', 'patch']);
});

describe('without the right', () => {
  const role = () => installedObjects('openshift').find(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === EXTRA_ROLE);
  const grant = (keep: (rule: PolicyRule) => boolean) => {
    const whole = role() as WireObject;
    return hub.apply({ ...whole, rules: (whole['rules'] as PolicyRule[]).filter(keep) } as WireObject);
  };
  /** As the operator, and without writing. */
  const allowed = async (ask: (client: Client) => Promise<unknown>): Promise<boolean> =>
    ask(new Client(transport)).then(
      () => true,
      (error: unknown) => {
        if (isForbidden(error)) return false;
        throw error;
      },
    );
  const options = { fieldManager: 'hcpio', dryRun: true } as const;
  const own = (client: Client) =>
    client.patch(
      TENANT_NETWORK,
      { namespace: played.namespace, name: 'owned' },
      {
        type: 'apply',
        force: true,
        body: {
          ...play.tenantNetwork({ ...played, name: 'owned' }),
          metadata: {
            ...{ name: 'owned', namespace: played.namespace },
            ownerReferences: [{ apiVersion: apiVersionOf(HOSTED_CLUSTER), kind: HOSTED_CLUSTER.kind, name: 'x', uid: 'x' }],
          },
        },
      },
      hub.signal,
      options,
    );
  const bind = (client: Client) =>
    client.create(
      roleBinding,
      {
        apiVersion: apiVersionOf(roleBinding),
        kind: 'RoleBinding',
        metadata: { name: 'tried', namespace: edge },
        roleRef: { apiGroup: roleBinding.group, kind: 'ClusterRole', name: SCC_ROLE },
        subjects: [],
      } as WireObject,
      hub.signal,
      options,
    );

  test.each([
    ['to delete TenantNetworks nobody may be made their owner', 'tenantnetworks', own],
    ['to bind the role of the constraints no edge gets it', 'clusterroles', bind],
  ] as const)('%s', async (_, resource, ask) => {
    await hub.apply(play.tenantNetwork({ ...played, name: 'owned' }));
    expect(await allowed(ask)).toBe(true);
    await grant(({ resources }) => !resources?.includes(resource));
    await eventually('the right to be gone', async () => !(await allowed(ask)));
    await grant(() => true);
    await eventually('the right to be back', () => allowed(ask));
  });

  test('and there is no other right in the role than these and those that were used', () => {
    const lines = ((role()?.['rules'] ?? []) as PolicyRule[]).map(({ resources = [], verbs }) => `${resources.join()}: ${verbs.join()}`);
    expect(lines.sort()).toEqual(['clusterroles: bind', 'rolebindings: create,patch,delete', 'tenantnetworks: delete']);
  });
});
