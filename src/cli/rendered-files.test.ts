import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { KubeObject } from '../gateway/rendered.ts';
import { severalTenants, tenantFiles } from './rendered-files.ts';

const object = (kind: string, name: string, namespace?: string): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, ...(namespace ? { namespace } : {}) },
});
const file = { container: 'dns', name: 'Corefile', content: '. {\n}\n' } as const;

test('a tenant: objects in their order, each in a file, and every configuration as the pod will see it', () => {
  const files = tenantFiles({
    manifests: [object('Namespace', 'b-edge'), object('ConfigMap', 'a', 'b-edge')],
    files: [{ edge: 'edge-a', files: [file] }],
  });
  expect([...files]).toEqual([
    [
      'kustomization.yaml',
      'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n  - manifests/01-namespace-b-edge.yaml\n  - manifests/02-configmap-b-edge-a.yaml\n',
    ],
    ['manifests/01-namespace-b-edge.yaml', 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: b-edge\n'],
    ['manifests/02-configmap-b-edge-a.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: b-edge\n'],
    ['configs/edge-a/dns/Corefile', '. {\n}\n'],
  ]);
});

test('several tenants: a directory each, and one for what they share', () => {
  const tenant = (name: string) => ({
    directory: `clusters/${name}`,
    manifests: [object('SecurityContextConstraints', 'hcpio-edge'), object('Namespace', name)],
    files: [],
  });
  const files = severalTenants([tenant('blue'), tenant('red')]);
  const resources = [...files]
    .filter(([path]) => path.endsWith('kustomization.yaml'))
    .map(([path, text]) => [path, (parse(text) as { resources: unknown }).resources]);
  expect(Object.fromEntries(resources)).toEqual({
    'kustomization.yaml': ['shared', 'clusters/blue', 'clusters/red'],
    'shared/kustomization.yaml': ['manifests/01-securitycontextconstraints-hcpio-edge.yaml'],
    'clusters/blue/kustomization.yaml': ['manifests/01-namespace-blue.yaml'],
    'clusters/red/kustomization.yaml': ['manifests/01-namespace-red.yaml'],
  });
});
