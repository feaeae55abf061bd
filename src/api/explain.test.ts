import { describe, expect, test } from 'vitest';
import { explain, explanationText, type FieldDoc, tenantNetworkDoc } from './explain.ts';

const text = (path: string): string => {
  const found = explain(path);
  return 'error' in found ? found.error : explanationText(found.field);
};

test('a field is shown with its type, default, limits, rules and fields', () => {
  expect(text('TenantNetwork.spec.gateway.dhcp')).toBe(`GROUP:      hcpio.io
KIND:       TenantNetwork
VERSION:    v1alpha1

FIELD: dhcp <Object>

default: {}

DESCRIPTION:
    How addresses are given out on the segment.

FIELDS:
  serve  <string>
    enum: KnownMachines, Anyone, Nobody
    default: "KnownMachines"
    Who gets an address: only this tenant's VMs, anyone on the segment, or nobody because
    another DHCP server does it.

  leaseSeconds  <integer>
    default: 900
    limits: 60 to 86400
    Lifetime of a lease. Deleted VMs release nothing, so keep it short.

  poolSize  <integer>
    default: 4096
    limits: 1 to 65536
    The most addresses per IP family that the pool takes.

  ntpServers  <[]string>
    default: []
    limits: at most 4 entries, each at most 45 characters
    Addresses of time servers (option 42).

  options  <[]Object>
    default: []
    limits: at most 32 entries
    Further DHCPv4 options.
`);
});

test('a field that has none below it shows its rules', () => {
  expect(text('spec.segment.attachment')).toContain(
    'FIELD: attachment <string> -required-\n\nlimits: at most 127 characters\nrule: must be namespace/name of a NetworkAttachmentDefinition\n',
  );
});

describe('paths are taken as people type them', () => {
  test.each([
    'TenantNetwork.spec.segment',
    'tenantnetwork.spec.segment',
    'tn.spec.segment',
    'tenantnetworks.spec.segment',
    'spec.segment',
    'tn.Spec.SEGMENT',
  ])('%s', (path) => {
    expect(text(path)).toBe(text('TenantNetwork.spec.segment'));
  });
  test('a list is walked through, with or without an index', () => {
    expect(text('spec.gateway.ports[0].sni')).toBe(text('spec.gateway.ports.sni'));
  });
  test('nothing at all is the object', () => {
    expect(text('')).toBe(text('TenantNetwork'));
  });
});

describe('an unknown path names its neighbours', () => {
  test.each([
    [
      'spec.segmnt',
      'TenantNetwork.spec has no field "segmnt"; did you mean segment?\nIts fields are: hostedCluster, segment, mode, gateway, loadBalancer, primaryUDN, nodePools, deletionPolicy',
    ],
    ['tn.spec.segment.vlan', 'TenantNetwork.spec.segment has no field "vlan"\nIts fields are: attachment, cidrs, router, mtu, reserved'],
    ['tn.spec.mode.name', 'TenantNetwork.spec.mode is a string and has no field "name"'],
    ['HostedCluster.spec', 'there is no kind "HostedCluster": hcpio explains TenantNetwork'],
    ['tn..spec', 'TenantNetwork has no field ""\nIts fields are: apiVersion, kind, metadata, spec, status'],
  ])('%s', (path, message) => {
    expect(text(path)).toBe(message);
  });
});

test('every field of the schema can be explained by its own path', () => {
  const all = (field: FieldDoc): FieldDoc[] => [field, ...field.fields.flatMap(all)];
  const fields = all(tenantNetworkDoc());
  expect(fields.length).toBeGreaterThan(80);
  for (const field of fields) expect(explain(field.path)).toEqual({ field });
});
