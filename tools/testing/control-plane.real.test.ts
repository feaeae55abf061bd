import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { dirname } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type ControlPlane, startControlPlane } from './control-plane.ts';

let hub: ControlPlane;
beforeAll(async () => {
  hub = await startControlPlane();
});
afterEach(() => void vi.unstubAllEnvs());
afterAll(() => hub.stop());

const isAlive = (pid: number) => existsSync(`/proc/${pid}`);

async function get(path: string, headers: Readonly<Record<string, string>>): Promise<{ status: number | undefined; body: unknown }> {
  return new Promise((resolve, reject) => {
    request(new URL(path, hub.url), { ca: hub.ca, headers, agent: false }, (response) => {
      json(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    })
      .on('error', reject)
      .end();
  });
}

test('the CRDs of a hub are accepted and served', async () => {
  await hub.applyCrds();
  const names = await hub.kubectl('get', 'crds', '--output=jsonpath={.items[*].metadata.name}');
  expect(names.split(' ').sort()).toEqual([
    'clusters.cluster.x-k8s.io',
    'dnses.config.openshift.io',
    'hostedclusters.hypershift.openshift.io',
    'hostedcontrolplanes.hypershift.openshift.io',
    'infrastructures.config.openshift.io',
    'ingresses.config.openshift.io',
    'kubevirtmachines.infrastructure.cluster.x-k8s.io',
    'machines.cluster.x-k8s.io',
    'network-attachment-definitions.k8s.cni.cncf.io',
    'networks.config.openshift.io',
    'nodepools.hypershift.openshift.io',
    'proxies.config.openshift.io',
    'routes.route.openshift.io',
    'virtualmachineinstances.kubevirt.io',
    'virtualmachines.kubevirt.io',
  ]);
});

test('the certificate verifies, the token is an administrator and nobody else is', async () => {
  const admin = await get('/api/v1/namespaces/default', { authorization: `Bearer ${hub.token}` });
  const nobody = await get('/api/v1/namespaces/default', {});
  expect([admin.status, nobody.status]).toEqual([200, 403]);
});

test('what was written is there after kill -9 and restart of either daemon, at the same address', async () => {
  await hub.kubectl('create', 'configmap', 'kept', '--from-literal=a=b');
  for (const daemon of ['etcd', 'apiserver'] as const) {
    const before = hub[daemon].pid;
    await hub.restart(daemon);
    expect(isAlive(before)).toBe(false);
    expect(await hub.kubectl('get', 'configmap', 'kept', '--output=jsonpath={.data.a}')).toBe('b');
  }
});

test('pod security is enforced as a hub enforces it', async () => {
  await hub.kubectl('create', 'namespace', 'tight');
  await hub.kubectl('label', 'namespace', 'tight', 'pod-security.kubernetes.io/enforce=restricted');
  await hub.kubectl('create', 'serviceaccount', 'default', '--namespace=tight'); // no controllers here to make it
  const run = hub.kubectl('run', 'loose', '--namespace=tight', '--image=none', '--privileged');
  await expect(run).rejects.toThrow(/violates PodSecurity "restricted:latest"/);
});

test('stop leaves no process and no file', async () => {
  const other = await startControlPlane();
  const pids = [other.etcd.pid, other.apiserver.pid];
  const dir = dirname(other.kubeconfigPath);
  expect([...pids.map(isAlive), existsSync(dir)]).toEqual([true, true, true]);
  await other.stop();
  expect([...pids.map(isAlive), existsSync(dir)]).toEqual([false, false, false]);
});

test('a daemon that cannot start says why', async () => {
  await expect(startControlPlane({ apiserverArgs: ['--no-such-flag'] })).rejects.toThrow(/kube-apiserver ended:.*no-such-flag/s);
});

test('the log of each daemon can be read while it runs', () => {
  expect(readFileSync(hub.apiserver.log, 'utf8')).toContain('Serving securely');
});

test('where the tools are not built, nothing is left behind but the error', async () => {
  vi.stubEnv('HCPIO_CACHE', '/nowhere');
  vi.stubEnv('TMPDIR', '/nowhere');
  await expect(startControlPlane()).rejects.toThrow('etcd 3.6.16 is not built: run `make tools`');
});
