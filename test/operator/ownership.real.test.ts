import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TenantNetworkStatus } from '../../src/api/tenant-network-status.ts';
import type { Named } from '../../src/kube/client.ts';
import { EVENT } from '../../src/kube/events.ts';
import { type Resource, refOf, refText, resourcePath, type WireObject } from '../../src/kube/object.ts';
import { INTENT } from '../../src/operator/ledger/intent.ts';
import * as r from '../../src/operator/resources.ts';
import { CONFIGURATION } from '../../src/operator/world/edge-pod.ts';
import { MIRROR_CONDITION } from '../../src/operator/world/projections.ts';
import { compare, expectAsPlanned, ownObjects } from './as-planned.ts';
import { AuditLog } from './audit.ts';
import { eventually, type Hub, startHub } from './hub.ts';
import { type RunningOperator, startOperator } from './in-process.ts';
import { runPod } from './kubelet.ts';
import { isIdentity, leaves, other, pointer, refusal, valueAt } from './meddling.ts';
import { playMachine, playTenant, tenant, tenantNetwork } from './player.ts';
import { expectSeenAlike } from './witness.ts';

/** Who may change what: ours is put back and told, theirs is left alone, and nobody is bothered when nothing changed. */
const audit = new AuditLog();
const played = tenant(1);
const edge = `${played.controlPlane}-edge`;
let hub: Hub;
let operator: RunningOperator;

beforeAll(async () => {
  hub = await startHub({ audit });
  await playTenant(hub, played);
  await playMachine(hub, played, 1);
  await hub.apply(tenantNetwork(played));
  operator = await startOperator(hub);
  await expectAsPlanned(hub);
});
afterAll(async () => {
  await operator?.stop();
  await hub?.stop();
});

const resourceOf = (kind: string) => r.TENANT_RESOURCES.find((one) => one.kind === kind) ?? r.POD;
const objects = async (): Promise<readonly WireObject[]> => (await ownObjects(hub)).get(`${played.namespace}.${played.name}`) ?? [];
const find = async (kind: string, name: string): Promise<WireObject> => {
  const found = (await objects()).find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name}`);
  return found;
};
const meddle = (object: WireObject, patch: readonly object[]) =>
  hub.client.patch(resourceOf(object.kind), object.metadata, { type: 'json', body: patch }, hub.signal, { fieldManager: 'meddler' });

/** What nobody can take from us, because the API server takes no other value: of a StatefulSet most is fixed when it is made. */
const KEPT_BY_THE_SERVER = [
  /^StatefulSet spec\.(serviceName|podManagementPolicy|selector|volumeClaimTemplates)\b/,
  // By these the selector knows its pods.
  /^StatefulSet spec\.template\.metadata\.labels\.app\.kubernetes\.io\/(name|instance)$/,
  // The one operator wants a value, the other none.
  /^StatefulSet spec\.template\.spec\.tolerations\.operator$/,
];

describe('a foreign change to a field of ours is put back', () => {
  test('every field of every kind that the API server lets somebody change', { timeout: 300_000 }, async () => {
    const [comparison] = await compare(hub);
    const seen = new Set<string>();
    const changed: { readonly place: string; readonly ref: string; readonly path: string }[] = [];
    /** What nobody can change: the API server says no, or does not heed it. */
    const kept = new Map<string, string>();
    for (const wanted of comparison?.wanted ?? []) {
      // The second edge is like the first.
      if (wanted.metadata.name.startsWith('edge-b')) continue;
      for (const leaf of leaves(wanted)) {
        const path = leaf.path.filter((step) => typeof step === 'string').join('.');
        const place = `${wanted.kind} ${path}`;
        if (isIdentity(leaf) || seen.has(place)) continue;
        seen.add(place);
        const accepted = await meddle(wanted, [{ op: 'replace', path: pointer(leaf.path), value: other(leaf.value) }]).catch(refusal);
        if (typeof accepted === 'string') kept.set(place, accepted);
        else if (valueAt(accepted, leaf.path) === leaf.value) kept.set(place, 'not heeded');
        if (kept.has(place)) continue;
        changed.push({ place, ref: refText(refOf(wanted)), path });
        await eventually(
          `${place} to be put back`,
          async () => valueAt(await find(wanted.kind, wanted.metadata.name), leaf.path) === leaf.value,
          AbortSignal.timeout(20_000),
        );
      }
    }
    // Of each kind something could be changed, else this test would show nothing.
    expect([...new Set(changed.map(({ place }) => place.split(' ')[0] ?? ''))].sort()).toEqual(
      r.TENANT_RESOURCES.map(({ kind }) => kind)
        .filter((kind) => kind !== 'RoleBinding')
        .sort(),
    );
    process.stderr.write(
      `  ${changed.length} fields put back; kept by the API server:\n${[...kept].map(([place, why]) => `    ${place}: ${why}`).join('\n')}\n`,
    );
    expect(changed.length).toBeGreaterThan(100);
    expect([...kept.keys()].filter((place) => !KEPT_BY_THE_SERVER.some((pattern) => pattern.test(place)))).toEqual([]);
    await expectAsPlanned(hub);
    let untold: readonly unknown[] = changed;
    await eventually(
      'every repair to be told',
      async () => {
        const notes = (await hub.list(EVENT, played.namespace))
          .filter(({ reason }) => reason === 'Repaired')
          .map(({ note }) => String(note));
        untold = changed.filter(({ ref, path }) => !notes.some((note) => told(note, ref) && tells(note, path)));
        return untold.length === 0;
      },
      AbortSignal.timeout(20_000),
    ).catch(() => {});
    expect(untold).toEqual([]);
  });

  /** Whose work it was is not known where it left nothing: a false that the server does not keep has no manager. */
  const told = (note: string, ref: string): boolean =>
    [' (meddler); ', '; '].some((name) => note.startsWith(`somebody else changed ${ref}${name}`));

  /** A list that is one piece is told as a whole; items are named by their keys. */
  function tells(note: string, path: string): boolean {
    const [, fields = ''] = note.split('put back: ');
    const plain = fields.replaceAll(/\[(?:\{.*?\}|".*?"|\w+=.*?)\]/g, '').replaceAll(/\[([^\]]+)\]/g, '.$1');
    return plain.split(', ').some((field) => `${path}.`.startsWith(`${field.replace(/^\./, '')}.`));
  }

  test('also when it is removed, and when the whole object is', async () => {
    await meddle(await find('ConfigMap', 'edge-a-dns'), [{ op: 'remove', path: '/data/Corefile' }]);
    await meddle(await find('NetworkPolicy', 'default-deny'), [{ op: 'remove', path: '/metadata/labels/hcpio.io~1tenant' }]);
    await hub.client.delete(resourceOf('Service'), { namespace: edge, name: 'edge-a-peer' }, hub.signal);
    await expectAsPlanned(hub);
  });

  test('and told, with who it was and what', async () => {
    await meddle(await find('PodDisruptionBudget', 'edge'), [{ op: 'replace', path: '/spec/minAvailable', value: 0 }]);
    const note = `somebody else changed policy/v1 PodDisruptionBudget ${edge}/edge (meddler); put back: spec.minAvailable`;
    await eventually('the event', async () =>
      (await hub.list(EVENT, played.namespace)).some((event) => event['reason'] === 'Repaired' && event['note'] === note),
    );
    await expectAsPlanned(hub);
  });
});

describe('what is ours on objects that are not', () => {
  const tenantObject = () => hub.client.get<WireObject>(r.TENANT_NETWORK, played, hub.signal);
  const patch = (resource: Resource, key: Named, body: object, subresource?: string) =>
    hub.client.patch(resource, key, { type: 'merge', body }, hub.signal, {
      fieldManager: 'meddler',
      ...(subresource ? { subresource } : {}),
    });

  test('the finalizer and the owner of the TenantNetwork come back', async () => {
    const ours = async () => {
      const { finalizers, ownerReferences } = (await tenantObject()).metadata;
      return { finalizers, owners: ownerReferences?.map(({ kind, name }) => `${kind} ${name}`) };
    };
    const before = await ours();
    expect(before).toEqual({ finalizers: ['hcpio.io/edge'], owners: [`HostedCluster ${played.name}`] });
    await patch(r.TENANT_NETWORK, played, { metadata: { finalizers: null } });
    await eventually('the finalizer', async () => isDeepStrictEqual(await ours(), before));
    await patch(r.TENANT_NETWORK, played, { metadata: { ownerReferences: null } });
    await eventually('the owner', async () => isDeepStrictEqual(await ours(), before));
  });

  test('its status says again what was seen', async () => {
    await audit.quiet();
    const said = async () => {
      const { conditions = [], ...rest } = ((await tenantObject())['status'] ?? {}) as TenantNetworkStatus;
      return { ...rest, conditions: conditions.map(({ type, status, reason, message }) => `${type} ${status} ${reason} ${message}`) };
    };
    const before = await said();
    for (const status of [{ vip: '192.0.2.66' }, { conditions: [] }, { machines: null }, { plan: 'x', workers: 99, findings: null }]) {
      await patch(r.TENANT_NETWORK, played, { status }, 'status');
      await eventually(`${JSON.stringify(status)} to be put back`, async () => isDeepStrictEqual(await said(), before));
    }
  });

  test('so does the word on the HostedCluster, whether it is removed or turned round', async () => {
    interface Clustered {
      readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
    }
    const mirror = async () => {
      const { status } = (await hub.client.get(r.HOSTED_CLUSTER, played, hub.signal)) as Clustered;
      return status?.conditions?.find(({ type }) => type === MIRROR_CONDITION);
    };
    const before = await eventually('the mirror', mirror);
    expect(before.status).toBe('False');
    for (const conditions of [[], [{ ...before, status: 'True' }]]) {
      await patch(r.HOSTED_CLUSTER, played, { status: { conditions } }, 'status');
      await eventually('it to be put back', async () => (await mirror())?.status === 'False');
    }
  });

  test('and the configuration that a pod was told of', async () => {
    await runPod(hub, edge, 'edge-a', [played.cidr.replace('.0/24', '.2')]);
    const pod = { namespace: edge, name: 'edge-a-0' };
    const told = async () => (await hub.client.get<WireObject>(r.POD, pod, hub.signal)).metadata.annotations?.[CONFIGURATION];
    const before = await eventually('the first word', told);
    for (const word of ['x', null]) {
      await patch(r.POD, pod, { metadata: { annotations: { [CONFIGURATION]: word } } });
      await eventually('it to be put back', async () => (await told()) === before);
    }
    await hub.client.delete(r.POD, pod, hub.signal);
  });
});

describe('what is theirs stays', () => {
  const theirs = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'edge-a-dns', namespace: edge, labels: { team: 'dns' }, annotations: { note: 'ours is theirs' } },
    data: { 'their.zone': 'x' },
  };
  const stranger = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'stranger', namespace: edge }, data: { a: 'b' } };
  const shown = async () => {
    const { metadata, data } = (await find('ConfigMap', 'edge-a-dns')) as unknown as {
      metadata: WireObject['metadata'];
      data: Record<string, string>;
    };
    return { team: metadata.labels?.['team'], note: metadata.annotations?.['note'], data: data['their.zone'] };
  };

  test('a second manager adds fields and objects; our next change and our next start leave them alone', async () => {
    await hub.apply(theirs);
    await hub.apply(stranger);
    await playMachine(hub, played, 2);
    await eventually('our change', async () =>
      JSON.stringify((await find('ConfigMap', 'edge-a-dns'))['data']).includes(`${played.name}-7d9f4-2`),
    );
    expect(await shown()).toEqual({ team: 'dns', note: 'ours is theirs', data: 'x' });
    await operator.stop();
    operator = await startOperator(hub);
    await expectAsPlanned(hub);
    expect(await shown()).toEqual({ team: 'dns', note: 'ours is theirs', data: 'x' });
    expect(await hub.client.get(resourceOf('ConfigMap'), { namespace: edge, name: 'stranger' }, hub.signal)).toMatchObject(stranger);
  });

  test('what they add inside of what is ours stays too: a container, a port, a label, a finalizer', async () => {
    const head = (apiVersion: string, kind: string, name: string) => ({ apiVersion, kind, metadata: { name, namespace: edge } });
    const additions: readonly WireObject[] = [
      {
        ...head('apps/v1', 'StatefulSet', 'edge-a'),
        spec: { template: { spec: { containers: [{ name: 'injected', image: 'mesh:1' }] } } },
      },
      { ...head('v1', 'Service', 'edge-a-peer'), spec: { ports: [{ name: 'theirs', port: 9999, protocol: 'TCP' }] } },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: edge, labels: { 'example.com/team': 'net' } } },
      { ...theirs, metadata: { ...theirs.metadata, finalizers: ['example.com/theirs'] } },
    ];
    const there = async () => {
      const [workload, peer, space, map] = await Promise.all([
        find('StatefulSet', 'edge-a'),
        find('Service', 'edge-a-peer'),
        find('Namespace', edge),
        find('ConfigMap', 'edge-a-dns'),
      ]);
      return {
        container: JSON.stringify(workload['spec']).includes('"injected"'),
        port: JSON.stringify(peer['spec']).includes('9999'),
        label: space.metadata.labels?.['example.com/team'],
        finalizers: map.metadata.finalizers,
      };
    };
    const all = { container: true, port: true, label: 'net', finalizers: ['example.com/theirs'] };
    await audit.quiet();
    const mark = audit.mark();
    for (const object of additions) await hub.apply(object);
    await audit.quiet();
    expect(audit.byOperator(mark)).toEqual([]);
    // Our next change of each of them, and our next start.
    for (const [kind, name] of [
      ['StatefulSet', 'edge-a'],
      ['Service', 'edge-a-peer'],
      ['Namespace', edge],
      ['ConfigMap', 'edge-a-dns'],
    ] as const)
      await meddle(await find(kind, name), [{ op: 'remove', path: '/metadata/annotations/hcpio.io~1intent' }]);
    const marked = async () => (await objects()).every(({ metadata }) => metadata.annotations?.[INTENT] !== undefined);
    await eventually('all four to be written', marked);
    expect(await there()).toEqual(all);
    await operator.stop();
    operator = await startOperator(hub);
    await eventually('it to be ready', async () => operator.operator.ready('off').ok);
    await audit.quiet();
    expect(await there()).toEqual(all);
    // As it was: the rest compares whole objects.
    for (const { apiVersion, kind, metadata } of additions)
      await hub.apply(
        kind === 'ConfigMap'
          ? theirs
          : { apiVersion, kind, metadata: { name: metadata.name, ...(metadata.namespace ? { namespace: metadata.namespace } : {}) } },
      );
    await expectAsPlanned(hub);
  });

  test('and changing it is no reason for a single write of ours', async () => {
    await audit.quiet();
    const mark = audit.mark();
    await hub.apply({ ...theirs, data: { 'their.zone': 'y' } });
    await eventually('the operator to have seen it', async () => {
      const live = await find('ConfigMap', 'edge-a-dns');
      return operator.operator.world.entry(refOf(live))?.metadata.resourceVersion === live.metadata.resourceVersion;
    });
    await audit.quiet();
    expect(audit.byOperator(mark)).toEqual([]);
  });
});

describe('after a restart', () => {
  test('nothing is written when nothing changed', async () => {
    await audit.quiet();
    await operator.stop();
    const mark = audit.mark();
    operator = await startOperator(hub);
    await eventually('it to have looked', async () =>
      (await operator.meters.text()).includes('controller_runtime_reconcile_total{controller="tenantnetwork",result="success"}'),
    );
    await audit.quiet();
    expect(audit.byOperator(mark)).toEqual([]);
  });

  test('what somebody changed meanwhile is put back, kinds without a generation included, and nothing else is written', async () => {
    await operator.stop();
    await meddle(await find('ConfigMap', 'edge-a-dns'), [{ op: 'replace', path: '/data/Corefile', value: 'broken' }]);
    await meddle(await find('Namespace', edge), [
      { op: 'replace', path: '/metadata/labels/pod-security.kubernetes.io~1enforce', value: 'restricted' },
    ]);
    await hub.client.delete(resourceOf('NetworkPolicy'), { namespace: edge, name: 'default-deny' }, hub.signal);
    await hub.apply({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'edge', namespace: edge, annotations: { theirs: 'yes' } },
    });
    const mark = audit.mark();
    operator = await startOperator(hub);
    await expectAsPlanned(hub);
    await audit.quiet();
    const written = audit.byOperator(mark).filter(({ resource, code }) => resource !== 'events' && code < 300);
    expect(written.map(({ verb, resource, name }) => `${verb} ${resource} ${name}`).sort()).toEqual([
      'patch configmaps edge-a-dns',
      `patch namespaces ${edge}`,
      'patch networkpolicies default-deny',
    ]);
  });
});

test('everything that we write is valid to the letter: no unknown field, no duplicate, no warning', async () => {
  const [comparison] = await compare(hub);
  for (const wanted of comparison?.wanted ?? []) {
    const path = resourcePath(resourceOf(wanted.kind), wanted.metadata.namespace, wanted.metadata.name);
    const { code, headers } = await hub.transport.request(
      {
        method: 'PATCH',
        path,
        query: { fieldManager: 'hcpio', force: true, dryRun: 'All', fieldValidation: 'Strict' },
        contentType: 'application/apply-patch+yaml',
        body: wanted,
        idempotent: true,
      },
      hub.signal,
    );
    expect([refText(refOf(wanted)), code, headers['warning']]).toEqual([refText(refOf(wanted)), 200, undefined]);
  }
});

test('an independent client sees what our stores hold', async () => {
  await audit.quiet();
  await expectSeenAlike(hub, operator.operator.world);
});
