import { describe, expect, test } from 'vitest';
import { catalogue, type FindingCode } from '../../api/finding-catalogue.ts';
import { tenantNetwork } from '../../api/tenant-network.ts';
import { blueObserved } from '../../hosted-cluster/testing/blue.ts';
import { creating, hub, tenantObject, updating } from './testing/hub.ts';
import { validateTenantNetwork } from './validate-tenant-network.ts';

const neighbour = (spec: Record<string, unknown>) =>
  tenantNetwork.parse(tenantObject({ hostedCluster: 'green', ...spec }, { name: 'green' }));
const segment = (more: Record<string, unknown>) => ({ segment: { attachment: 'default/vlan100', cidrs: ['192.168.100.0/24'], ...more } });
const refusal = (spec: Record<string, unknown>, knowledge = hub()) =>
  validateTenantNetwork(creating(tenantObject(spec)), knowledge).refusal;

test('a tenant that can work is let in without a word', () => {
  expect(validateTenantNetwork(creating(tenantObject()), hub())).toEqual({ warnings: [] });
});

describe('refused, with the code, the place and what to do', () => {
  test('a network that another tenant uses on the same segment', () => {
    const taken = hub({ tenants: [neighbour(segment({ cidrs: ['192.168.100.128/25'] }))] });
    expect(refusal({}, taken)).toBe(
      'HCPIO-NET-014 spec.segment.cidrs[0]: 192.168.100.0/24 overlaps 192.168.100.128/25 of tenant clusters/green on the same segment (default/vlan100). Fix: give each tenant its own attachment (VLAN), or networks that do not overlap',
    );
  });

  test('a network of the hub', () => {
    expect(refusal(segment({ cidrs: ['10.129.4.0/24'] }))).toBe(
      "HCPIO-NET-003 spec.segment.cidrs[0]: segment 10.129.4.0/24 overlaps the hub's pod network 10.128.0.0/14: choose a CIDR outside it. Fix: set spec.segment.cidrs (and networking.machineNetwork of the HostedCluster, before it is created) to a network that does not overlap 10.128.0.0/14",
    );
  });

  test('text that would break out of a configuration file', () => {
    expect(refusal({ gateway: { dns: { records: [{ name: 'a.example.com', type: 'TXT', value: 'x\ny' }] } } })).toBe(
      'HCPIO-IN-008: spec.gateway.dns.records[0].value holds a line break, quote or control character: "x\\ny". Fix: write the plain text without it',
    );
  });

  test('an address that running workers were told, and its way out', () => {
    const addresses = { ipv4: { cidr: '192.168.100.0/24', router: '192.168.100.1', edgeA: '192.168.100.2', vip: '192.168.100.3' } };
    const before = { ...tenantObject(), status: { addresses } };
    const after = { ...tenantObject({ gateway: { addresses: { vip: '192.168.100.7' } } }), status: { addresses } };
    const running = hub({ more: blueObserved().machines });
    expect(validateTenantNetwork(updating(before, after), running).refusal).toBe(
      'HCPIO-NET-020 spec.gateway.addresses.vip: the VIP would change from 192.168.100.3 to 192.168.100.7, and the worker that runs would go on using 192.168.100.3. Fix: put 192.168.100.3 back, or let no worker run (kubectl scale --replicas 0 --namespace clusters nodepool blue-workers), and change it then',
    );
    expect(validateTenantNetwork(updating(before, after), hub()).refusal).toBeUndefined();
  });

  test('every mistake at once, one per line', () => {
    expect(
      refusal({ ...segment({ reserved: ['nonsense'] }), mode: 'PrimaryUDN' })
        ?.split('\n')
        .map((text) => text.slice(0, 14)),
    ).toEqual(['HCPIO-MODE-001', 'HCPIO-NET-011 ']);
  });

  test('a second TenantNetwork for one cluster', () => {
    expect(
      refusal(
        { hostedCluster: 'blue' },
        hub({ tenants: [neighbour({ hostedCluster: 'blue', ...segment({ attachment: 'default/other' }) })] }),
      ),
    ).toContain('HCPIO-TEN-007 spec.hostedCluster: clusters/blue and clusters/green both serve HostedCluster clusters/blue');
  });

  test.each([
    ['a platform that has no VMs of ours', { hostedClusterSpec: { platform: { type: 'AWS' } } }, 'HCPIO-TEN-004'],
    ['VMs on another cluster', { hostedClusterSpec: { platform: { type: 'KubeVirt', kubevirt: { credentials: {} } } } }, 'HCPIO-TEN-005'],
  ])('a cluster where a TenantNetwork has no place: %s', (_, change, code) => {
    expect(refusal({}, hub({ change }))).toContain(code);
  });

  test('a cluster that says nothing of its networks, when this object does not either', () => {
    const silent = hub({ change: { hostedClusterSpec: { networking: {} } } });
    expect(refusal({ segment: { attachment: 'default/vlan100' } }, silent)).toContain('HCPIO-NET-006');
  });
});

describe('let in with a warning, because another object may still come or change', () => {
  const warnings = (spec: Record<string, unknown>, knowledge = hub()) => {
    const decision = validateTenantNetwork(creating(tenantObject(spec)), knowledge);
    expect(decision.refusal).toBeUndefined();
    return decision.warnings?.map((text) => text.split(/[ :]/)[0]);
  };

  test('the cluster, its networks and the attachment are not there yet', () => {
    const empty = hub({ without: ['HostedCluster', 'HostedControlPlane', 'NetworkAttachmentDefinition', 'Service', 'Route', 'NodePool'] });
    expect(warnings({ segment: { attachment: 'default/vlan100' } }, empty)).toEqual(['HCPIO-ATT-001', 'HCPIO-NET-006', 'HCPIO-TEN-001']);
  });

  test('the attachment cannot be used as it is', () => {
    expect(warnings({}, hub({ change: { nadConfig: { type: 'bridge', bridge: 'br100', ipam: { type: 'whereabouts' } } } }))).toContain(
      'HCPIO-ATT-002',
    );
  });

  test('the VMs keep a leg on the pod network', () => {
    expect(warnings({}, hub({ change: { kubevirt: { attachDefaultNetwork: true } } }))).toEqual(['HCPIO-NP-001']);
  });

  test('leases are long', () => {
    expect(warnings({ gateway: { dhcp: { leaseSeconds: 86_400 } } })).toEqual(['HCPIO-DHCP-004']);
  });

  test('nothing is said of a Service that the stores do not follow yet', () => {
    expect(warnings({ gateway: { ports: [{ port: 8443, service: 'extra', servicePort: 8443 }] } })).toEqual([]);
  });
});

describe('updates', () => {
  const taken = hub({ tenants: [neighbour(segment({}))] });
  const before = tenantObject();

  test('a mistake that was there before is a warning, so that the rest can be changed', () => {
    const decision = validateTenantNetwork(updating(before, tenantObject({ nodePools: 'Ignore' })), taken);
    expect({ refusal: decision.refusal, warnings: decision.warnings?.length }).toEqual({ refusal: undefined, warnings: 1 });
  });

  test('a mistake that the change brings is refused', () => {
    expect(validateTenantNetwork(updating(tenantObject(segment({ cidrs: ['192.168.101.0/24'] })), before), taken).refusal).toContain(
      'HCPIO-NET-014',
    );
  });

  test('moving from one clash into another is refused', () => {
    const moved = tenantObject(segment({ cidrs: ['192.168.100.0/25'] }));
    expect(validateTenantNetwork(updating(before, moved), taken).refusal).toContain('192.168.100.0/25 overlaps');
  });

  test('an object that is on its way out may be as wrong as it likes', () => {
    const leaving = tenantObject(segment({ cidrs: ['10.128.0.0/24'] }), { deletionTimestamp: '2026-01-02T03:04:05Z' });
    expect(validateTenantNetwork(updating(before, leaving), taken)).toEqual({});
  });

  test('deletion is nobody to be asked about', () => {
    expect(validateTenantNetwork({ operation: 'DELETE', namespace: 'clusters', name: 'blue', oldObject: before }, taken)).toEqual({});
  });
});

describe('before the stores are filled', () => {
  const unread = hub({ ready: false, without: ['HostedCluster', 'NetworkAttachmentDefinition'] });

  test('what may only be unread is not held against anybody, and it is said', () => {
    expect(validateTenantNetwork(creating(tenantObject()), unread)).toEqual({
      warnings: ['the operator has not read the hub yet: whether this fits the other networks will be told in the status'],
    });
  });

  test('what is wrong with the object itself is refused all the same', () => {
    expect(validateTenantNetwork(creating(tenantObject(segment({ reserved: ['nonsense'] }))), unread).refusal).toContain('HCPIO-NET-011');
  });
});

test('every error that lies in the object itself and can be made by an object alone is refused', () => {
  const alone: Readonly<Partial<Record<FindingCode, Record<string, unknown>>>> = {
    'HCPIO-MODE-001': { mode: 'LoadBalancer' },
    'HCPIO-MODE-002': { mode: 'LoadBalancer', gateway: {} },
    'HCPIO-NET-001': segment({ cidrs: ['192.168.100.7/24'] }),
    'HCPIO-NET-002': segment({ cidrs: ['192.168.100/24'] }),
    'HCPIO-NET-003': segment({ cidrs: ['127.0.0.0/24'] }),
    'HCPIO-NET-004': segment({ cidrs: ['192.168.100.0/31'] }),
    'HCPIO-NET-005': segment({ cidrs: ['192.168.100.0/24', '192.168.101.0/24'] }),
    'HCPIO-NET-008': segment({ router: '10.0.0.1' }),
    'HCPIO-NET-009': { gateway: { addresses: { vip: '192.168.100.9', edgeA: '192.168.100.9' } } },
    'HCPIO-NET-010': segment({ reserved: ['192.168.100.5-192.168.100.254'] }),
    'HCPIO-NET-011': segment({ reserved: ['172.16.0.1'] }),
    'HCPIO-NET-016': { gateway: { addresses: { vip: 'fd00::1' } } },
    'HCPIO-ATT-005': segment({ attachment: 'vlan100' }),
    'HCPIO-DNS-002': { gateway: { dns: { records: [{ name: 'api.blue.example.com', type: 'A', value: '192.168.100.9' }] } } },
    'HCPIO-DNS-003': { gateway: { dns: { upstreams: ['resolver'] } } },
    'HCPIO-DNS-006': { gateway: { dns: { records: [{ name: 'a.example.com', type: 'A', value: 'b' }] } } },
    'HCPIO-DHCP-001': { gateway: { dhcp: { options: [{ code: 3, data: '192.168.100.1' }] } } },
    'HCPIO-DHCP-003': { gateway: { dhcp: { ntpServers: ['time'] } } },
  };
  const wrong = Object.entries(alone).filter(([code, spec]) => !refusal(spec)?.includes(code));
  expect(wrong.map(([code, spec]) => [code, refusal(spec)])).toEqual([]);
  expect(Object.keys(alone).every((code) => catalogue[code as FindingCode].severity === 'error')).toBe(true);
});
