import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TenantNetworkStatus } from '../../src/api/tenant-network-status.ts';
import { EVENT } from '../../src/kube/events.ts';
import type { WireObject } from '../../src/kube/object.ts';
import * as r from '../../src/operator/resources.ts';
import { expectAsPlanned, ownObjects } from './as-planned.ts';
import { AuditLog } from './audit.ts';
import { type Player, playControllerManager } from './controller-manager.ts';
import { eventually, type Hub, startHub } from './hub.ts';
import { hurried } from './hurried.ts';
import { type OperatorChange, type RunningOperator, startOperator } from './in-process.ts';
import { hostedCluster, namespace, type PlayedTenant, playTenant, tenant, tenantNetwork } from './player.ts';

/** What the operator may not do: it says so once, leaves alone what is not its own, and goes on when it may. */
const audit = new AuditLog();
/** Looks that are taken every minute come every three seconds, and what is forgotten after two minutes is after six. */
const clock = hurried(20);
/** Every line of the log, with the fields that its logger was made with. */
const lines: Readonly<Record<string, unknown>>[] = [];
const logger = (bound: object): OperatorChange['log'] & object => {
  const add = (fields: object, message: string) => void lines.push({ ...bound, ...fields, message });
  return { debug() {}, info: add, warn: add, error: add, child: (fields) => logger({ ...bound, ...fields }) };
};
let hub: Hub;
let operator: RunningOperator;
let controllerManager: Player;

beforeAll(async () => {
  hub = await startHub({ apiserverArgs: audit.apiserverArgs });
  controllerManager = playControllerManager(hub);
  operator = await startOperator(hub, { clock, log: logger({}) });
});
afterAll(async () => {
  await operator?.stop();
  await controllerManager?.stop();
  await hub?.stop();
  audit.close();
});

const conditionOf = async (played: PlayedTenant, type: string) => {
  const { status } = (await hub.client.get(r.TENANT_NETWORK, played, hub.signal)) as { status?: TenantNetworkStatus };
  return status?.conditions?.find((one) => one.type === type);
};
const until = (played: PlayedTenant, type: string, said: string) =>
  eventually(`${type} ${said}`, async () => {
    const found = await conditionOf(played, type);
    return found !== undefined && `${found.status} ${found.reason}` === said ? found : undefined;
  });
const edgeOf = ({ controlPlane }: PlayedTenant): string => `${controlPlane}-edge`;
const objectsOf = async ({ namespace: ns, name }: PlayedTenant): Promise<readonly WireObject[]> =>
  (await ownObjects(hub)).get(`${ns}.${name}`) ?? [];
const notesAbout = async ({ name }: PlayedTenant, reason: string): Promise<readonly unknown[]> =>
  (await hub.list(EVENT))
    .filter((event) => event['reason'] === reason && (event['regarding'] as { name: string }).name === name)
    .map((event) => event['note']);

/** Takes part in no look: how often the controller has looked and wants to look again. */
async function looks(controller: string): Promise<number> {
  const line = new RegExp(`^controller_runtime_reconcile_total\\{controller="${controller}",result="requeue_after"\\} (\\d+)$`, 'm');
  return Number(line.exec(await operator.meters.text())?.[1] ?? 0);
}
/** Long enough for everything that is forgotten after a while to be forgotten. */
async function looksAgain(controller: string): Promise<void> {
  const before = await looks(controller);
  await eventually('five more looks', async () => (await looks(controller)) >= before + 5);
}
/** What was written and taken since. */
const written = (mark: number): readonly string[] =>
  audit
    .byOperator(mark)
    .filter(({ code }) => code < 300)
    .map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
/** What the log says was written for a tenant, one reconciliation after the other. */
const logged = ({ namespace: ns, name }: PlayedTenant) =>
  lines
    .filter((line) => line['tenant'] === `${ns}/${name}` && line['message'] === 'reconciled, and wrote' && line['reconcileId'])
    .map(({ tenant: _tenant, message: _message, reconcileId: _id, ...deeds }) => deeds);
const gone = (played: PlayedTenant): Promise<boolean> =>
  eventually('it to be gone', async () => (await hub.client.find(r.TENANT_NETWORK, played, hub.signal)) === undefined);

test('a namespace that is taken is told once; it is looked at every minute, and nothing is written', async () => {
  const played = tenant(1);
  await playTenant(hub, played);
  await hub.apply(namespace(edgeOf(played)));
  await hub.apply(tenantNetwork(played));
  await until(played, 'Applied', 'False NamespaceTaken');
  await looksAgain('tenantnetwork');
  const [mark, said] = [audit.mark(), logged(played)];
  await looksAgain('tenantnetwork');
  expect(written(mark)).toEqual([]);
  expect(logged(played)).toEqual(said);
  expect(said[0]).toMatchObject({ claimed: 1, reported: expect.any(Number) });
  expect(await notesAbout(played, 'NamespaceTaken')).toEqual([`namespace ${edgeOf(played)} exists and is not ours; it is left alone`]);
  expect(await objectsOf(played)).toEqual([]);
  await hub.client.delete(r.TENANT_NETWORK, played, hub.signal);
  await gone(played);
});

test('an annotation that leads to nothing is told once, and stands on the HostedCluster for as long as it is there', async () => {
  const played = tenant(2);
  await hub.apply(namespace(played.namespace));
  const cluster = hostedCluster(played);
  const mirrorOf = async () => {
    const { status } = (await hub.client.get(r.HOSTED_CLUSTER, played, hub.signal)) as {
      status?: { conditions?: { type: string; reason: string; message: string }[] };
    };
    return status?.conditions?.find(({ type }) => type === 'hcpio.io/TenantNetworkReady');
  };
  await hub.apply({ ...cluster, metadata: { ...cluster.metadata, annotations: { 'hcpio.io/tenant-network': 'vlan 100' } } });
  const { message } = await eventually('the condition', async () => {
    const said = await mirrorOf();
    return said?.reason === 'AnnotationRefused' ? said : undefined;
  });
  expect(message).toMatch(/^the API server does not take the TenantNetwork that the annotation asks for: .*namespace\/name/);
  await looksAgain('shorthand');
  const mark = audit.mark();
  await looksAgain('shorthand');
  expect(written(mark)).toEqual([]);
  expect(await notesAbout(played, 'AnnotationRefused')).toEqual([message]);
  await hub.apply(cluster);
  await eventually('the condition to go', async () => (await mirrorOf()) === undefined);
});

const POLICY = { group: 'networking.k8s.io', version: 'v1', plural: 'networkpolicies', kind: 'NetworkPolicy', namespaced: true };

describe('an object of somebody else under a name of ours', () => {
  const played = tenant(3);
  const taken = { namespace: played.controlPlane, name: 'hcpio-edge-kube-apiserver' };
  const theirs = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: taken,
    spec: { podSelector: { matchLabels: { app: 'theirs' } }, policyTypes: ['Egress'] },
  };
  const way = `To do: delete it, or hand it over: kubectl label networkpolicy -n ${taken.namespace} ${taken.name} app.kubernetes.io/managed-by=hcpio`;
  const said = `networking.k8s.io/v1 NetworkPolicy ${taken.namespace}/${taken.name} is there already, made by somebody else (player), and is left alone. ${way}`;

  test('is left as it is and told once, with the way out; everything else is made', async () => {
    await playTenant(hub, played);
    const before = await hub.apply(theirs);
    await hub.apply(tenantNetwork(played));
    expect((await until(played, 'Applied', 'False ObjectsRefused')).message).toBe(said);
    await looksAgain('tenantnetwork');
    expect(await hub.client.get(POLICY, taken, hub.signal)).toEqual(before);
    expect(await notesAbout(played, 'ObjectRefused')).toEqual([said]);
    expect((await objectsOf(played)).length).toBeGreaterThan(20);
  });

  test('is not deleted with the tenant', async () => {
    await hub.client.delete(r.TENANT_NETWORK, played, hub.signal);
    await gone(played);
    expect((await hub.client.get<WireObject>(POLICY, taken, hub.signal)).metadata.deletionTimestamp).toBeUndefined();
    expect(await objectsOf(played)).toEqual([]);
  });

  test('becomes ours when it is handed over', async () => {
    await hub.apply(tenantNetwork(played));
    await until(played, 'Applied', 'False ObjectsRefused');
    await hub.controlPlane.kubectl('label', 'networkpolicy', '-n', taken.namespace, taken.name, 'app.kubernetes.io/managed-by=hcpio');
    await until(played, 'Applied', 'True Applied');
    await expectAsPlanned(hub);
    await hub.client.delete(r.TENANT_NETWORK, played, hub.signal);
    await gone(played);
    expect(await hub.client.find(POLICY, taken, hub.signal)).toBeUndefined();
  });
});
