/**
 * Two replicas, as deployed: one leads and writes, the other is warm. The leadership goes from one to the other in every way it can, while
 * tenants come and change; by the API server's audit log never both write, and nothing is written a second time.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TENANT_NETWORK } from '../../src/operator/resources.ts';
import { expectAsPlanned, ownObjects } from './as-planned.ts';
import { AuditLog, OPERATOR_USER, type Write } from './audit.ts';
import { eventually, type Hub, startHub } from './hub.ts';
import { type OperatorProcess, operatorProcess } from './operator-process.ts';
import { namespace, type PlayedTenant, playTenant, tenant, tenantNetwork } from './player.ts';
import { expectOneContentEach } from './written-contents.ts';

const audit = new AuditLog({ bodies: true });
const never = new AbortController().signal;
const users = { a: `${OPERATOR_USER}-a`, b: `${OPERATOR_USER}-b` };
type Name = keyof typeof users;
const replicas = {} as Record<Name, OperatorProcess>;
let hub: Hub;
let leader: Name;
let number = 0;

beforeAll(async () => {
  hub = await startHub({ audit });
  await hub.apply(namespace('hcpio-system'));
  for (const name of ['a', 'b'] as const) {
    const flags = ['--leader-election=quick'];
    replicas[name] = await operatorProcess({ kubeconfig: hub.controlPlane.kubeconfigPath, user: users[name], flags });
    replicas[name].daemon.start();
  }
}, 300_000);
beforeEach(async () => {
  for (const replica of Object.values(replicas)) {
    if (!replica.daemon.running) replica.daemon.start();
    await replica.ready(never);
  }
  leader = await eventually('a leader', leading);
});
afterAll(async () => {
  for (const replica of Object.values(replicas)) {
    await replica.daemon.kill('SIGKILL');
    await replica.stop();
  }
  await hub?.stop();
});

async function leading(): Promise<Name | undefined> {
  for (const name of ['a', 'b'] as const) {
    const said = replicas[name].daemon.running ? await fetch(`${replicas[name].healthUrl}/readyz`).then((answer) => answer.text()) : '';
    if (said.includes('ok, leading')) return name;
  }
  return undefined;
}

const other = (name: Name): Name => (name === 'a' ? 'b' : 'a');
const writes = (since: number) => audit.writes(since).filter(({ user }) => Object.values(users).includes(user));
/** Of either replica, events included, but without the Lease: that is how they find out who leads. */
const deeds = (since: number) => writes(since).filter(({ resource }) => resource !== 'leases');
const nameOf = ({ user }: Write): string => user.slice(-1);
const isAbout = ({ name, controlPlane }: PlayedTenant, write: Write): boolean =>
  [write.namespace, write.name].some((one) => one === controlPlane || one === `${controlPlane}-edge`) ||
  write.name === name ||
  write.name.startsWith(`${name}.`);

interface HandOver {
  readonly mark: number;
  readonly before: Name;
  /** The tenant that came when the leader had met its fate. */
  readonly next: PlayedTenant;
}

/** In the middle of a tenant's creation the leader meets its fate; the other finishes the work, and once, and takes the next tenant. */
async function handOver(fate: (before: Name) => Promise<void>): Promise<HandOver> {
  const [played, next] = [tenant(number + 1), tenant(number + 2)];
  number += 2;
  for (const one of [played, next]) await playTenant(hub, one);
  const mark = audit.mark();
  const before = leader;
  await hub.apply(tenantNetwork(played));
  await eventually('the first writes', async () => deeds(mark).length >= 3);
  await fate(before);
  await hub.apply(tenantNetwork(next));
  leader = other(before);
  await expectAsPlanned(hub);
  return { mark, before, next };
}

/** First the one and then the other, and every object with one content. */
async function expectOneAfterTheOther({ mark, before, next }: HandOver): Promise<void> {
  const order = deeds(mark).map(nameOf);
  const taken = order.indexOf(other(before));
  expect(taken).toBeGreaterThan(0);
  expect(order.slice(taken).filter((name) => name === before)).toEqual([]);
  const about = deeds(mark).filter((write) => isAbout(next, write));
  expect([...new Set(about.map(nameOf))]).toEqual([other(before)]);
  expect(about.length).toBeGreaterThan(20);
  expectOneContentEach(deeds(mark), [...(await ownObjects(hub)).values()].flat());
}

/** Who held the Lease, by what was written into it; nobody is the empty name. */
function holders(since: number): readonly string[] {
  const written = writes(since).filter(({ resource, code }) => resource === 'leases' && code < 300);
  const held = written.map((write) =>
    (write.body as { spec: { holderIdentity: string } }).spec.holderIdentity === '' ? '' : nameOf(write),
  );
  return held.filter((name, index) => name !== held[index - 1]);
}

test('only the leader writes, and the other is warm', async () => {
  const played = tenant(100);
  await playTenant(hub, played);
  const mark = audit.mark();
  await hub.apply(tenantNetwork(played));
  await expectAsPlanned(hub);
  expect([...new Set(deeds(mark).map(nameOf))]).toEqual([leader]);
  expect(await (await fetch(`${replicas[other(leader)].healthUrl}/readyz`)).text()).toContain('waiting for the leadership');
});

test('a leader that is asked to stop finishes what it does and hands over at once', async () => {
  const handed = await handOver((name) => replicas[name].daemon.kill('SIGTERM'));
  await expectOneAfterTheOther(handed);
  // It was given back and then taken, and did not have to run out.
  expect(holders(handed.mark).slice(-2)).toEqual(['', other(handed.before)]);
});

test('a leader that is killed is followed when its Lease has run out', async () => {
  const handed = await handOver((name) => replicas[name].daemon.kill('SIGKILL'));
  await expectOneAfterTheOther(handed);
  expect(holders(handed.mark)).not.toContain('');
});

test('a leader that slept through the end of its Lease does not write when it wakes, and goes', async () => {
  const handed = await handOver(async (name) => {
    process.kill(replicas[name].daemon.pid, 'SIGSTOP');
    await eventually('the other to lead', async () => (await holder()) !== name);
    process.kill(replicas[name].daemon.pid, 'SIGCONT');
  });
  await eventually('the sleeper to go', async () => !replicas[handed.before].daemon.running);
  await expectOneAfterTheOther(handed);
});

/** Who leads, asked of the one that is awake. */
async function holder(): Promise<Name | undefined> {
  const awake = other(leader);
  const said = await fetch(`${replicas[awake].healthUrl}/readyz`).then((answer) => answer.text());
  return said.includes('ok, leading') ? awake : leader;
}

test('and all of them can be deleted by whoever leads then', async () => {
  const mark = audit.mark();
  for (const { metadata } of await hub.list(TENANT_NETWORK)) await hub.client.delete(TENANT_NETWORK, metadata, never);
  await eventually('all to be gone', async () => (await hub.list(TENANT_NETWORK)).length === 0);
  expect([...(await ownObjects(hub)).values()].flat()).toEqual([]);
  expect([...new Set(deeds(mark).map(nameOf))]).toEqual([leader]);
  expectOneContentEach(deeds(mark), []);
});
