import { KubeConfig, KubernetesObjectApi } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVENT } from '../../src/kube/events.ts';
import { apiVersionOf, refOf, refText, resourcePath, type WireObject } from '../../src/kube/object.ts';
import * as r from '../../src/operator/resources.ts';
import { compare, expectAsPlanned, ownObjects } from './as-planned.ts';
import { AuditLog } from './audit.ts';
import { type Player, playControllerManager } from './controller-manager.ts';
import { eventually, type Hub, startHub } from './hub.ts';
import { type RunningOperator, startOperator } from './in-process.ts';
import { playMachine, playTenant, tenant, tenantNetwork } from './player.ts';

/** Who may change what: ours is put back and told, theirs is left alone, and nobody is bothered when nothing changed. */
const audit = new AuditLog();
const played = tenant(1);
const edge = `${played.controlPlane}-edge`;
let hub: Hub;
let operator: RunningOperator;
let controllerManager: Player;

beforeAll(async () => {
  hub = await startHub({ apiserverArgs: audit.apiserverArgs });
  controllerManager = playControllerManager(hub);
  await playTenant(hub, played);
  await playMachine(hub, played, 1);
  await hub.apply(tenantNetwork(played));
  operator = await startOperator(hub);
  await expectAsPlanned(hub);
});
afterAll(async () => {
  await operator?.stop();
  await controllerManager?.stop();
  await hub?.stop();
  audit.close();
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

interface Leaf {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** Every plain value of the intent. */
function leaves(value: unknown, path: readonly (string | number)[] = []): Leaf[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }];
  const members = Array.isArray(value) ? value.map((item, index) => [index, item] as const) : Object.entries(value);
  return members.flatMap(([key, member]) => leaves(member, [...path, key]));
}

/** By these an item of a list is known; another name is another item, and that would be theirs. */
const KEYS = new Set(['name', 'mountPath', 'port', 'protocol', 'devicePath']);
const isIdentity = ({ path }: Leaf): boolean =>
  ['apiVersion', 'kind'].includes(String(path[0])) ||
  (path[0] === 'metadata' && ['name', 'namespace'].includes(String(path[1]))) ||
  (KEYS.has(String(path.at(-1))) && typeof path.at(-2) === 'number');

const other = (value: unknown): unknown =>
  typeof value === 'number'
    ? value + 1
    : typeof value === 'boolean'
      ? !value
      : String(value).startsWith('1')
        ? `2${String(value).slice(1)}`
        : `${String(value)}x`;
const pointer = (path: readonly (string | number)[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
const valueAt = (object: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((value, step) => (value as Record<string | number, unknown> | undefined)?.[step], object);

describe('a foreign change to a field of ours is put back', () => {
  test('every field of every kind that the API server lets somebody change', { timeout: 300_000 }, async () => {
    const [comparison] = await compare(hub);
    const seen = new Set<string>();
    const changed: { readonly place: string; readonly ref: string; readonly path: string }[] = [];
    for (const wanted of comparison?.wanted ?? []) {
      // The second edge is like the first.
      if (wanted.metadata.name.startsWith('edge-b')) continue;
      for (const leaf of leaves(wanted)) {
        const path = leaf.path.filter((step) => typeof step === 'string').join('.');
        const place = `${wanted.kind} ${path}`;
        if (isIdentity(leaf) || seen.has(place)) continue;
        seen.add(place);
        const accepted = await meddle(wanted, [{ op: 'replace', path: pointer(leaf.path), value: other(leaf.value) }]).catch(
          () => undefined,
        );
        if (accepted === undefined || valueAt(accepted, leaf.path) === leaf.value) continue;
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
    expect(changed.length).toBeGreaterThan(100);
    await expectAsPlanned(hub);
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
  let untold: readonly unknown[] = [];

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

test('an independent client sees the objects that our stores hold, in the same versions', async () => {
  await audit.quiet();
  const config = new KubeConfig();
  config.loadFromFile(hub.controlPlane.kubeconfigPath);
  const witness = KubernetesObjectApi.makeApiClient(config);
  const { sources } = operator.operator.world;
  const { tenants, hostedClusters, hostedControlPlanes, nodePools, machines, routes, attachments } = sources;
  for (const { resource, list, selector } of [
    ...sources.ledger.map((ledger) => ({ resource: ledger.resource, list: ledger.list(), selector: 'app.kubernetes.io/managed-by=hcpio' })),
    ...[tenants, hostedClusters, hostedControlPlanes, nodePools, machines, routes].map((store) => ({
      resource: store.resource,
      list: (store as { list(): readonly Versioned[] }).list(),
      selector: undefined,
    })),
    { resource: attachments.resource, list: attachments.list(), selector: 'app.kubernetes.io/managed-by!=hcpio' },
  ]) {
    const { items } = await witness.list(
      apiVersionOf(resource),
      resource.kind,
      ...([undefined, undefined, undefined, undefined, undefined, selector] as const),
    );
    expect([resource.kind, versions(list)]).toEqual([resource.kind, versions(items)]);
  }
});

interface Versioned {
  readonly metadata?: { readonly namespace?: string | undefined; readonly name?: string; readonly resourceVersion?: string };
}
const versions = (items: readonly Versioned[]): readonly string[] =>
  items.map(({ metadata }) => `${metadata?.namespace ?? ''}/${metadata?.name} ${metadata?.resourceVersion}`).sort();
