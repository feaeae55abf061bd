import { describe, expect, test } from 'vitest';
import { attempt } from '../api/finding.ts';
import { type AddressPlanInput, planAddresses } from './address-plan.ts';

const object = { kind: 'TenantNetwork', namespace: 'clusters', name: 'blue' };
const plan = (cidrs: string | readonly string[], more: Partial<AddressPlanInput> = {}) =>
  planAddresses({ object, cidrs: [cidrs].flat(), pins: {}, reserved: [], availability: 'HighlyAvailable', poolSize: 4096, ...more });
const refusal = (cidrs: string | readonly string[], more: Partial<AddressPlanInput> = {}) => attempt(() => plan(cidrs, more)).findings[0];
const error = { severity: 'error', object: 'clusters/blue TenantNetwork' };

describe('the layout', () => {
  test('a /24 reads router .1, edge-a .2, VIP .3, edge-b .4, prober .5, pool .10 to .254', () => {
    expect(plan('192.168.100.0/24')).toEqual({
      ipv4: {
        cidr: '192.168.100.0/24',
        router: '192.168.100.1',
        edgeA: '192.168.100.2',
        vip: '192.168.100.3',
        edgeB: '192.168.100.4',
        prober: '192.168.100.5',
        pool: [['192.168.100.10', '192.168.100.254']],
      },
    });
  });

  test('a router at the end of the segment splits nothing and moves nobody', () => {
    expect(plan('192.168.100.0/24', { router: '192.168.100.254' })).toEqual({
      ipv4: {
        cidr: '192.168.100.0/24',
        router: '192.168.100.254',
        edgeA: '192.168.100.1',
        vip: '192.168.100.2',
        edgeB: '192.168.100.3',
        prober: '192.168.100.4',
        pool: [['192.168.100.10', '192.168.100.253']],
      },
    });
  });

  test('a router, a pin and reserved ranges inside the pool split it', () => {
    expect(
      plan('192.168.100.0/24', {
        router: '192.168.100.100',
        pins: { vip: '192.168.100.50' },
        reserved: ['192.168.100.200-192.168.100.220', '192.168.100.16/30', '192.168.100.60'],
      }),
    ).toEqual({
      ipv4: {
        cidr: '192.168.100.0/24',
        router: '192.168.100.100',
        edgeA: '192.168.100.1',
        vip: '192.168.100.50',
        edgeB: '192.168.100.2',
        prober: '192.168.100.3',
        pool: [
          ['192.168.100.10', '192.168.100.15'],
          ['192.168.100.20', '192.168.100.49'],
          ['192.168.100.51', '192.168.100.59'],
          ['192.168.100.61', '192.168.100.99'],
          ['192.168.100.101', '192.168.100.199'],
          ['192.168.100.221', '192.168.100.254'],
        ],
      },
    });
  });

  test('without a router everybody moves up by one', () => {
    expect(plan('192.168.100.0/24', { router: 'None' })).toEqual({
      ipv4: {
        cidr: '192.168.100.0/24',
        edgeA: '192.168.100.1',
        vip: '192.168.100.2',
        edgeB: '192.168.100.3',
        prober: '192.168.100.4',
        pool: [['192.168.100.10', '192.168.100.254']],
      },
    });
  });

  test('both families have the same ordinals', () => {
    expect(plan(['192.168.100.0/24', 'FD00:100::/64'])).toEqual({
      ...plan('192.168.100.0/24'),
      ipv6: {
        cidr: 'fd00:100::/64',
        router: 'fd00:100::1',
        edgeA: 'fd00:100::2',
        vip: 'fd00:100::3',
        edgeB: 'fd00:100::4',
        prober: 'fd00:100::5',
        pool: [['fd00:100::a', 'fd00:100::1009']],
      },
    });
  });

  test('a router and a pin name one address per family, in either order, or of one family only', () => {
    const two = plan(['fd00:100::/64', '192.168.100.0/24'], { router: 'fd00:100::ff,192.168.100.254', pins: { vip: '192.168.100.9' } });
    expect(two).toEqual({
      ipv4: {
        cidr: '192.168.100.0/24',
        router: '192.168.100.254',
        edgeA: '192.168.100.1',
        vip: '192.168.100.9',
        edgeB: '192.168.100.2',
        prober: '192.168.100.3',
        pool: [['192.168.100.10', '192.168.100.253']],
      },
      ipv6: {
        cidr: 'fd00:100::/64',
        router: 'fd00:100::ff',
        edgeA: 'fd00:100::1',
        vip: 'fd00:100::2',
        edgeB: 'fd00:100::3',
        prober: 'fd00:100::4',
        pool: [
          ['fd00:100::a', 'fd00:100::fe'],
          ['fd00:100::100', 'fd00:100::100a'],
        ],
      },
    });
  });

  test('a /16 gives 4,096 addresses to the pool unless told otherwise', () => {
    expect(plan('10.20.0.0/16').ipv4?.pool).toEqual([['10.20.0.10', '10.20.16.9']]);
    expect(plan('10.20.0.0/16', { poolSize: 100 }).ipv4?.pool).toEqual([['10.20.0.10', '10.20.0.109']]);
    expect(plan('10.20.0.0/16', { poolSize: 65_536 }).ipv4?.pool).toEqual([['10.20.0.10', '10.20.255.254']]);
  });

  test('nobody to serve means no pool, even where none would be left', () => {
    expect(plan('10.20.0.0/24', { poolSize: 0, reserved: ['10.20.0.10-10.20.0.254'] }).ipv4?.pool).toEqual([]);
  });
});

describe('small segments', () => {
  test('a /29 has a router, one edge, the VIP, the prober and two machines', () => {
    expect(plan('10.0.0.8/29', { availability: 'Single' })).toEqual({
      ipv4: {
        cidr: '10.0.0.8/29',
        router: '10.0.0.9',
        edgeA: '10.0.0.10',
        vip: '10.0.0.11',
        prober: '10.0.0.14',
        pool: [['10.0.0.12', '10.0.0.13']],
      },
    });
  });

  test('a /28 has two edges, the prober at its end and nine machines', () => {
    expect(plan('10.0.0.16/28')).toEqual({
      ipv4: {
        cidr: '10.0.0.16/28',
        router: '10.0.0.17',
        edgeA: '10.0.0.18',
        vip: '10.0.0.19',
        edgeB: '10.0.0.20',
        prober: '10.0.0.30',
        pool: [['10.0.0.21', '10.0.0.29']],
      },
    });
  });

  test('a /27 is large enough for the pool to start at .10', () => {
    expect(plan('10.0.0.0/27').ipv4?.pool).toEqual([['10.0.0.10', '10.0.0.30']]);
  });

  test('going from one edge to two takes no address from the pool of a /28', () => {
    const { edgeB, ...rest } = plan('10.0.0.16/28').ipv4 ?? expect.fail('no plan');
    expect(plan('10.0.0.16/28', { availability: 'Single' })).toEqual({ ipv4: rest });
    expect(edgeB).toBe('10.0.0.20');
  });

  test('the smallest and the largest networks are the documented ones', () => {
    const ok = (cidr: string, more: Partial<AddressPlanInput> = {}) => refusal(cidr, more)?.code ?? 'planned';
    expect(
      ['10.0.0.0/15', '10.0.0.0/16', '10.0.0.0/28', '10.0.0.0/29', 'fd00::/63', 'fd00::/64', 'fd00::/120', 'fd00::/121'].map((c) => ok(c)),
    ).toEqual(['HCPIO-NET-004', 'planned', 'planned', 'HCPIO-NET-004', 'HCPIO-NET-004', 'planned', 'planned', 'HCPIO-NET-004']);
    expect(['10.0.0.0/29', '10.0.0.0/30', '10.0.0.0/31', '10.0.0.0/32'].map((c) => ok(c, { availability: 'Single' }))).toEqual([
      'planned',
      'HCPIO-NET-004',
      'HCPIO-NET-004',
      'HCPIO-NET-004',
    ]);
  });
});

describe('the published VIP', () => {
  const published = (addresses: string[], more: Partial<AddressPlanInput> = {}) =>
    plan('192.168.100.0/24', { publishedVip: addresses, ...more }).ipv4;

  test('an address of the segment on which the cluster publishes becomes the VIP', () => {
    expect(published(['172.16.0.1', 'api.blue.example.com', '192.168.100.77'])).toEqual({
      cidr: '192.168.100.0/24',
      router: '192.168.100.1',
      edgeA: '192.168.100.2',
      vip: '192.168.100.77',
      edgeB: '192.168.100.3',
      prober: '192.168.100.4',
      pool: [
        ['192.168.100.10', '192.168.100.76'],
        ['192.168.100.78', '192.168.100.254'],
      ],
    });
  });

  test('a pinned VIP stays where it is pinned', () => {
    expect(published(['192.168.100.77'], { pins: { vip: '192.168.100.5' } })?.vip).toBe('192.168.100.5');
  });

  test('the cluster wins over a pin of somebody else, which has to move', () => {
    expect(refusal('192.168.100.0/24', { publishedVip: ['192.168.100.9'], pins: { edgeA: '192.168.100.9' } })).toEqual({
      ...error,
      code: 'HCPIO-NET-009',
      message: 'edge-a and the VIP both want 192.168.100.9',
      fix: 'give edge-a another address: on 192.168.100.9 the cluster publishes its services',
    });
  });

  test('the cluster cannot publish on the broadcast address', () => {
    expect(refusal('192.168.100.0/24', { publishedVip: ['192.168.100.255'] })).toEqual({
      ...error,
      code: 'HCPIO-NET-008',
      message:
        'the VIP cannot be 192.168.100.255, where the cluster publishes its services: it is the broadcast address of 192.168.100.0/24',
      fix: 'choose an address from 192.168.100.1 to 192.168.100.254',
    });
  });
});

test('a pin inside a reserved range is what its owner asked for', () => {
  const fixed = { router: '192.168.100.1', pins: { edgeA: '192.168.100.2', vip: '192.168.100.3', edgeB: '192.168.100.4' } };
  expect(plan('192.168.100.0/24', { ...fixed, reserved: ['192.168.100.0/28'] }).ipv4).toEqual({
    ...plan('192.168.100.0/24').ipv4,
    prober: '192.168.100.254',
    pool: [['192.168.100.16', '192.168.100.253']],
  });
});

test('a single edge is not troubled by a range over the address that edge-b would have', () => {
  expect(plan('192.168.100.0/24', { availability: 'Single', reserved: ['192.168.100.4'] }).ipv4?.edgeB).toBeUndefined();
});

test('the prober goes where it is pinned, and steps aside for everybody else', () => {
  expect(plan('192.168.100.0/24', { pins: { prober: '192.168.100.200' } }).ipv4).toEqual({
    ...plan('192.168.100.0/24').ipv4,
    prober: '192.168.100.200',
    pool: [
      ['192.168.100.10', '192.168.100.199'],
      ['192.168.100.201', '192.168.100.254'],
    ],
  });
  expect(plan('192.168.100.0/24', { reserved: ['192.168.100.5-192.168.100.7'] }).ipv4?.prober).toBe('192.168.100.8');
});

test('the last address of a segment goes to a machine, and not to the prober', () => {
  const full = { availability: 'Single', reserved: ['10.0.0.12-10.0.0.13'] } as const;
  expect(plan('10.0.0.8/29', full)).toEqual({
    ipv4: { cidr: '10.0.0.8/29', router: '10.0.0.9', edgeA: '10.0.0.10', vip: '10.0.0.11', pool: [['10.0.0.14', '10.0.0.14']] },
  });
});
