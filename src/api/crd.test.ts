import { expect, test } from 'vitest';
import { tenantNetworkCrd, tenantNetworkSchema } from './crd.ts';
import type { OpenApiSchema } from './open-api.ts';

const version = tenantNetworkCrd().spec.versions[0];

test('it is one namespaced kind with a status of its own and a short name', () => {
  const { versions, ...spec } = tenantNetworkCrd().spec;
  expect(spec).toEqual({
    group: 'hcpio.io',
    scope: 'Namespaced',
    names: {
      kind: 'TenantNetwork',
      listKind: 'TenantNetworkList',
      plural: 'tenantnetworks',
      singular: 'tenantnetwork',
      shortNames: ['tn'],
      categories: ['hcpio'],
    },
  });
  expect(versions.map(({ name, served, storage, subresources }) => ({ name, served, storage, subresources }))).toEqual([
    { name: 'v1alpha1', served: true, storage: true, subresources: { status: {} } },
  ]);
});

test('kubectl get shows mode, VIP, workers, Ready and age, and more with -o wide', () => {
  expect(version?.additionalPrinterColumns.map((column) => ('priority' in column ? `${column.name} (wide)` : column.name))).toEqual([
    'Mode',
    'VIP',
    'Workers',
    'Ready',
    'Reason (wide)',
    'Segment (wide)',
    'Age',
  ]);
});

test('every printer column shows a field that the schema has', () => {
  const has = (path: string): boolean => {
    let schema: OpenApiSchema | undefined = tenantNetworkSchema();
    for (const step of path
      .replaceAll(/\[[^\]]*\]/g, '')
      .split('.')
      .slice(1))
      schema = (schema?.items ?? schema)?.properties?.[step];
    return schema !== undefined;
  };
  const paths = version?.additionalPrinterColumns.map((column) => column.jsonPath).filter((path) => !path.startsWith('.metadata')) ?? [];
  expect(paths.filter((path) => !has(path))).toEqual([]);
});

test('a CRD may say nothing of metadata but that it is there', () => {
  expect(version?.schema.openAPIV3Schema.properties.metadata).toEqual({ type: 'object' });
});

test('every field says what it is for', () => {
  const silent = (schema: OpenApiSchema, path: string): string[] => [
    ...(schema.description ? [] : [path]),
    ...Object.entries((schema.items ?? schema).properties ?? {}).flatMap(([name, child]) => silent(child, `${path}.${name}`)),
  ];
  expect(silent(tenantNetworkSchema(), 'TenantNetwork')).toEqual([]);
});
