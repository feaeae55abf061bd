/** How the operator starts on hubs that are not what it would like, and what it does when it is only asked to tell. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { crdFiles } from '../../tools/paths.ts';
import { expectAsPlanned } from './as-planned.ts';
import { AuditLog } from './audit.ts';
import { eventually, type Hub, startHub } from './hub.ts';
import { startOperator } from './in-process.ts';
import { namespace, playTenant, tenant, tenantNetwork } from './player.ts';

/** Neither OpenShift nor KubeVirt nor HyperShift: a plain cluster. */
const ABSENT = /routes|kubevirt|hosted|nodepools|config-operator/;
const audit = new AuditLog();
const played = tenant(1);
let hub: Hub;

beforeAll(async () => {
  hub = await startHub({ audit, crds: crdFiles().filter((file) => !ABSENT.test(file)) });
});
afterAll(async () => {
  await hub?.stop();
});

test('kinds that are not installed are waited for: it is ready without them, and follows them when they come', async () => {
  const operator = await startOperator(hub);
  await eventually('it to be ready', async () => operator.operator.ready('off').ok);
  const missing = Object.entries(operator.operator.health().informers).filter(([, { phase }]) => phase === 'missing');
  expect(missing.map(([name]) => name).sort()).toEqual([
    'dnses.config.openshift.io',
    'hostedclusters.hypershift.openshift.io',
    'hostedcontrolplanes.hypershift.openshift.io',
    'ingresses.config.openshift.io',
    'networks.config.openshift.io',
    'nodepools.hypershift.openshift.io',
    'proxies.config.openshift.io',
    'routes.route.openshift.io',
    'virtualmachineinstances.kubevirt.io',
  ]);
  await hub.apply(namespace(played.namespace));
  await hub.apply(tenantNetwork(played));
  await hub.controlPlane.applyCrds();
  await playTenant(hub, played);
  await expectAsPlanned(hub);
  await operator.stop();
});

test('a dry run tells what it would do, and writes nothing at all', async () => {
  const told: string[] = [];
  const tell = (fields: object, message: string) => void told.push(`${message} ${JSON.stringify(fields)}`);
  const log = { debug: tell, info: tell, warn: tell, error: tell };
  await hub.apply(tenantNetwork(played, { gateway: { availability: 'Single' } }));
  const mark = audit.mark();
  const operator = await startOperator(hub, { dryRun: true, log: { ...log, child: () => log } });
  const would = (verb: string) =>
    told.filter((line) => line.startsWith('dry run: nothing was written') && line.includes(`"verb":"${verb}"`));
  await eventually('it to have told', async () => would('delete').length > 5 && would('write the status of').length > 0);
  await operator.stop();
  expect(would('delete').some((line) => line.includes('StatefulSet') && line.includes('edge-b'))).toBe(true);
  expect(audit.byOperator(mark)).toEqual([]);
});
