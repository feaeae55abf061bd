/** What the API server is told by the webhooks that it calls. */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAUSE_MARKER } from '../../src/api/markers.ts';
import type { WireObject } from '../../src/kube/object.ts';
import { TENANT_NETWORK } from '../../src/operator/resources.ts';
import { eventually } from '../operator/hub.ts';
import * as play from '../operator/player.ts';
import {
  type Answer,
  close,
  create,
  end,
  errors,
  hub,
  messageOf,
  one,
  open,
  overlapping,
  passedUnasked,
  patch,
  refusal,
  stop,
  two,
} from './webhook-hub.ts';

beforeAll(open);
afterAll(close);

describe('TenantNetworks', () => {
  test('a network that another tenant has on the same segment is refused, with the code and what to do', async () => {
    expect(await refusal(overlapping('clash'))).toBe(
      'admission webhook "validate.tenantnetwork.hcpio.io" denied the request: HCPIO-NET-014 spec.segment.cidrs[0]: 10.200.1.128/25 overlaps 10.200.1.0/24 of tenant clusters/t1 on the same segment (default/vlan1). Fix: give each tenant its own attachment (VLAN), or networks that do not overlap\n' +
        'HCPIO-NET-014 spec.segment.cidrs[0]: 10.200.1.128/25 overlaps 10.200.1.128/25 of tenant clusters/older on the same segment (default/vlan1). Fix: give each tenant its own attachment (VLAN), or networks that do not overlap',
    );
  });

  test.each([
    [
      'text that would break out of a configuration file',
      { gateway: { dns: { records: [{ name: 'a.example.com', type: 'TXT', value: 'x\ny' }] } } },
      'HCPIO-IN-008',
    ],
    ['a reserved range that is none', { segment: { attachment: two.attachment, reserved: ['nonsense'] } }, 'HCPIO-NET-011'],
    ['a mode that is not built', { mode: 'PrimaryUDN' }, 'HCPIO-MODE-001'],
    ['a DHCP option that hcpio sets itself', { gateway: { dhcp: { options: [{ code: 3, data: '10.0.0.1' }] } } }, 'HCPIO-DHCP-001'],
  ])('%s is refused', async (_, spec, code) => {
    expect(await refusal(play.tenantNetwork(two, spec))).toMatch(new RegExp(`denied the request: ${code}.*Fix: `, 's'));
  });

  test('a second one for the same cluster is refused', async () => {
    expect(await refusal(play.tenantNetwork({ ...two, name: 'second' }, { hostedCluster: 't1' }))).toContain('HCPIO-TEN-007');
  });

  test('one that is good is stored with every default in it', async () => {
    const { object, warnings } = await create(play.tenantNetwork(two), false);
    expect({ spec: object.spec, warnings }).toEqual({
      spec: {
        segment: { attachment: 'default/vlan2', cidrs: [], mtu: 1500, reserved: [] },
        mode: 'Gateway',
        gateway: {
          availability: 'HighlyAvailable',
          addresses: {},
          dhcp: { serve: 'KnownMachines', leaseSeconds: 900, poolSize: 4096, ntpServers: [], options: [] },
          dns: { upstreams: [], records: [] },
          apps: 'Gateway',
          ports: [],
        },
        nodePools: 'Gate',
        deletionPolicy: 'Delete',
      },
      warnings: '',
    });
  });

  test('one whose cluster is not there yet is taken, with a warning', async () => {
    const { warnings } = await create(
      play.tenantNetwork({ ...two, name: 'early' }, { segment: { attachment: 'default/vlan3', cidrs: ['10.210.0.0/24'] } }),
    );
    expect(warnings.match(/HCPIO-[A-Z]+-\d+/g)).toEqual(['HCPIO-ATT-001', 'HCPIO-TEN-001']);
  });

  test('one that was let in with a mistake can still be changed, labelled and deleted, but not be made worse', async () => {
    await patch('older', { metadata: { labels: { a: 'b' }, finalizers: ['example.com/kept'] } });
    await patch('older', { spec: { nodePools: 'Ignore' } });
    await expect(patch('older', { spec: { segment: { cidrs: ['10.200.1.0/25'] } } }).catch(messageOf)).resolves.toContain('HCPIO-NET-014');
    await hub.client.delete(TENANT_NETWORK, { namespace: two.namespace, name: 'older' }, stop.signal);
    await patch('older', { metadata: { finalizers: null } });
    expect(await hub.client.find(TENANT_NETWORK, { namespace: two.namespace, name: 'older' }, stop.signal)).toBeUndefined();
  });
});

describe('NodePools', () => {
  const held = ({ object }: Answer) => ({ pausedUntil: object.spec?.['pausedUntil'], marker: object.metadata.annotations?.[PAUSE_MARKER] });
  const pool = (changes: { spec?: object; annotations?: Record<string, string> } = {}, of = one): WireObject => {
    const made = play.nodePool(of, 'new') as WireObject & { spec: object };
    return {
      ...made,
      metadata: { ...made.metadata, ...(changes.annotations ? { annotations: changes.annotations } : {}) },
      spec: { ...made.spec, ...changes.spec },
    };
  };

  test('a new one of a gated tenant is paused, with and without annotations of its own', async () => {
    const expected = { pausedUntil: 'true', marker: 'true' };
    expect([held(await create(pool())), held(await create(pool({ annotations: { a: 'b' } })))]).toEqual([expected, expected]);
  });

  test("a person's pause stays a person's", async () => {
    expect(held(await create(pool({ spec: { pausedUntil: '2027-01-01T00:00:00Z' } })))).toEqual({
      pausedUntil: '2027-01-01T00:00:00Z',
      marker: undefined,
    });
  });

  test('one of a cluster without a TenantNetwork is left alone', async () => {
    expect(held(await create(pool({}, { ...one, name: 'nobody' })))).toEqual({ pausedUntil: undefined, marker: undefined });
  });

  test('one of a tenant whose segment is proven starts at once', async () => {
    const paused = { pausedUntil: 'true', marker: 'true' };
    await eventually('it to be held before', async () => isDeepStrictEqual(held(await create(pool({}, two))), paused));
    const proven = { type: 'SegmentProven', status: 'True', reason: 'Proven', message: 'seen', lastTransitionTime: '2026-01-01T00:00:00Z' };
    await patch(two.name, { status: { conditions: [proven] } }, 'status');
    await eventually('the operator to hear of it', async () => held(await create(pool({}, two))).pausedUntil === undefined);
  });
});

test('a webhook that is stopped blocks nobody', async () => {
  await end();
  const unasked = await passedUnasked();
  const { object } = await create(play.nodePool(one, 'unattended'));
  expect(object.spec?.['pausedUntil']).toBeUndefined();
  expect(await refusal(overlapping('unattended'))).toBeUndefined();
  // All three of them, one for the NodePool and two for the TenantNetwork.
  expect((await passedUnasked()) - unasked).toBe(3);
});

test('nothing was forbidden, and nothing failed', () => {
  expect(errors()).toEqual([]);
});
