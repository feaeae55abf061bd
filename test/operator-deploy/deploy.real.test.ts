/** The manifests of deploy/, as people apply them, before a real API server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRecord } from '../../src/api/field-problem.ts';
import type { WireObject } from '../../src/kube/object.ts';
import { type ControlPlane, startControlPlane } from '../../tools/testing/control-plane.ts';
import { FOREIGN_CRDS } from './foreign-crds.ts';
import { installedObjects, type Overlay, overlayDirectory } from './installation.ts';

const OVERLAYS: readonly Overlay[] = ['default', 'openshift', 'cert-manager'];
const dir = mkdtempSync(join(tmpdir(), 'hcpio-deploy-'));
let hub: ControlPlane;

beforeAll(async () => {
  hub = await startControlPlane();
  const crds = FOREIGN_CRDS.map((crd) => {
    const file = join(dir, `${crd.metadata.name}.json`);
    writeFileSync(file, JSON.stringify(crd));
    return file;
  });
  await hub.applyCrds(crds);
  // A dry run writes nothing, so the objects in the namespace would not find it.
  await hub.kubectl('create', 'namespace', 'hcpio-system');
});
afterAll(async () => {
  rmSync(dir, { recursive: true, force: true });
  await hub?.stop();
});

const idOf = ({ kind, metadata }: WireObject): string => `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}`;
const find = (overlay: Overlay, kind: string, name: string): Record<string, unknown> =>
  installedObjects(overlay).find((object) => object.kind === kind && object.metadata.name === name) as Record<string, unknown>;

test.each(OVERLAYS)('%s: the API server takes every object, with strict field validation', async (overlay) => {
  const said = await hub.kubectl(
    'apply',
    '--server-side',
    '--dry-run=server',
    '--validate=strict',
    '-o',
    'name',
    '-k',
    overlayDirectory(overlay),
  );
  expect(said.trim().split('\n').length).toBe(installedObjects(overlay).length);
});

test.each(OVERLAYS)('%s: objects of a namespace say which, and all are of one installation', (overlay) => {
  const objects = installedObjects(overlay);
  const elsewhere = objects.filter(({ metadata }) => metadata.namespace !== undefined && metadata.namespace !== 'hcpio-system');
  const unlabelled = objects.filter(
    ({ kind, metadata }) => kind !== 'CustomResourceDefinition' && metadata.labels?.['app.kubernetes.io/part-of'] !== 'hcpio',
  );
  expect({ elsewhere: elsewhere.map(idOf), unlabelled: unlabelled.map(idOf) }).toEqual({ elsewhere: [], unlabelled: [] });
});

test('plain kubectl apply installs deploy/default as well, and makes nothing anew when it is repeated', async () => {
  // On a hub of its own: what was applied in the one way is not to be applied in the other.
  await using fresh = await startControlPlane();
  const lines = async () => (await fresh.kubectl('apply', '--validate=strict', '-k', overlayDirectory('default'))).trim().split('\n');
  expect((await lines()).length).toBe(installedObjects('default').length);
  expect((await lines()).filter((line) => !line.endsWith(' unchanged') && !line.endsWith(' configured'))).toEqual([]);
});

describe('deploy/default, applied for real', () => {
  const apply = () => hub.kubectl('apply', '--server-side', '--validate=strict', '-k', overlayDirectory('default'));

  test('a second time changes nothing', async () => {
    await apply();
    const versions = async () => {
      const { items } = JSON.parse(await hub.kubectl('get', '-o', 'json', '-k', overlayDirectory('default'))) as { items: WireObject[] };
      // Of a CRD the API server itself writes the status, some time after it was applied.
      return items.map((object) => [
        idOf(object),
        object.kind === 'CustomResourceDefinition' ? object.metadata.generation : object.metadata.resourceVersion,
      ]);
    };
    const before = await versions();
    await apply();
    expect(await versions()).toEqual(before);
    expect(before.length).toBe(installedObjects('default').length);
  });

  test.each(OVERLAYS)('the pod of %s is one that the restricted level of pod security lets in', async (overlay) => {
    const deployment = find(overlay, 'Deployment', 'hcpio-operator') as { spec: { template: { metadata: object; spec: object } } };
    const { metadata, spec } = deployment.spec.template;
    const pod = (changes: object) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, name: 'tried', namespace: 'hcpio-system' },
      spec: { ...spec, ...changes },
    });
    const tried = async (changes: object) => {
      const file = join(dir, 'pod.json');
      writeFileSync(file, JSON.stringify(pod(changes)));
      return hub.kubectl('create', '--dry-run=server', '--validate=strict', '-o', 'name', '-f', file);
    };
    expect(await tried({})).toBe('pod/tried\n');
    // The judge is awake.
    await expect(tried({ hostNetwork: true })).rejects.toThrow('violates PodSecurity "restricted:latest"');
  });
});

test('where somebody else makes the certificate, the operator reads two Secrets by name, and has no right to others and to configurations', () => {
  interface Rule {
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
    readonly resourceNames?: readonly string[];
  }
  const rights = (overlay: Overlay) =>
    installedObjects(overlay)
      .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole')
      .flatMap((role) => role['rules'] as readonly Rule[])
      .filter(({ resources }) => resources.some((resource) => /secrets|webhookconfigurations/.test(resource)))
      .map(({ resources, verbs, resourceNames }) => `${verbs.join(',')} ${resources.join(',')} ${resourceNames?.join(',') ?? 'all'}`);
  const tenants = ['get secrets service-network-admin-kubeconfig', 'list,watch secrets ignition-server-ca-cert'];
  expect({
    default: rights('default').length > tenants.length,
    openshift: rights('openshift'),
    certManager: rights('cert-manager'),
  }).toEqual({
    default: true,
    openshift: tenants,
    certManager: tenants,
  });
});

test.each<[Overlay, string, string]>([
  ['openshift', 'service.beta.openshift.io/inject-cabundle', 'true'],
  ['cert-manager', 'cert-manager.io/inject-ca-from', 'hcpio-system/hcpio-webhook'],
])('%s: both configurations ask for their caBundle, and the pod waits for the Secret that comes with it', (overlay, annotation, value) => {
  const asked = (kind: string) => (find(overlay, kind, 'hcpio') as unknown as WireObject).metadata.annotations?.[annotation];
  const volumes = (find(overlay, 'Deployment', 'hcpio-operator') as { spec: { template: { spec: { volumes: { secret: object }[] } } } })
    .spec.template.spec.volumes;
  expect([asked('MutatingWebhookConfiguration'), asked('ValidatingWebhookConfiguration'), volumes.map(({ secret }) => secret)]).toEqual([
    value,
    value,
    [expect.objectContaining({ secretName: 'hcpio-webhook-tls' })],
  ]);
  expect(volumes.every(({ secret }) => isRecord(secret) && secret['optional'] === undefined)).toBe(true);
});
