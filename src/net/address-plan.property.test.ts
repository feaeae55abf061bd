import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import { attempt } from '../api/finding.ts';
import { type AddressPlanInput, type FamilyAddresses, planAddresses } from './address-plan.ts';
import { type Cidr, cidrAround, formatCidr, lastOf } from './cidr.ts';
import { type Family, formatAddress, parseAddress } from './ip.ts';

/** What must hold for every plan, on inputs that are mostly acceptable and sometimes not. The judge of "inside" is ipaddr.js. */
const number = (text: string): bigint => (parseAddress(text) ?? expect.fail(text)).value;
const fixed = ({ router, edgeA, vip, edgeB, prober }: FamilyAddresses) => ({ router, edgeA, vip, edgeB, prober });
const families = (input: AddressPlanInput): FamilyAddresses[] | undefined => {
  const plan = attempt(() => planAddresses(input)).value;
  return plan && [plan.ipv4, plan.ipv6].flatMap((addresses) => addresses ?? []);
};

const network = (family: Family): fc.Arbitrary<Cidr> =>
  family === 'ipv4'
    ? fc
        .tuple(fc.bigInt({ min: 0n, max: 0xffffffn }), fc.integer({ min: 16, max: 29 }))
        .map(([low, prefix]) => cidrAround({ family, value: (10n << 24n) | low }, prefix))
    : fc
        .tuple(fc.bigInt({ min: 0n, max: (1n << 56n) - 1n }), fc.integer({ min: 64, max: 120 }))
        .map(([low, prefix]) => cidrAround({ family, value: (0xfdn << 120n) | low }, prefix));

/** Ends and small ordinals are where owners meet; anywhere else is rarely interesting. */
const addressIn = (cidr: Cidr): fc.Arbitrary<string> => {
  const size = lastOf(cidr).value - cidr.network;
  const near = fc.bigInt({ min: 0n, max: size < 40n ? size : 40n });
  return fc
    .oneof(
      near,
      near.map((offset) => size - offset),
      fc.bigInt({ min: 0n, max: size }),
    )
    .map((offset) => formatAddress({ family: cidr.family, value: cidr.network + offset }));
};
const rangeIn = (cidr: Cidr): fc.Arbitrary<string> =>
  fc.oneof(
    addressIn(cidr),
    fc.tuple(addressIn(cidr), addressIn(cidr)).map(([a, b]) => (number(a) <= number(b) ? `${a}-${b}` : `${b}-${a}`)),
  );

const input: fc.Arbitrary<{ readonly plan: AddressPlanInput; readonly cidrs: readonly Cidr[] }> = fc
  .constantFrom<Family[]>(['ipv4'], ['ipv6'], ['ipv4', 'ipv6'])
  .chain((chosen) => fc.tuple(...chosen.map(network)))
  .chain((cidrs) => {
    const oneOf = fc.oneof(...cidrs.map(addressIn));
    const sometimes = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
    return fc
      .record({
        router: fc.oneof(fc.constant(undefined), fc.constant('None'), oneOf),
        pins: fc.record({ edgeA: sometimes(oneOf), edgeB: sometimes(oneOf), vip: sometimes(oneOf), prober: sometimes(oneOf) }),
        reserved: fc.array(fc.oneof(...cidrs.map(rangeIn)), { maxLength: 4 }),
        availability: fc.constantFrom('Single' as const, 'HighlyAvailable' as const),
        poolSize: fc.integer({ min: 0, max: 300 }),
        publishedVip: fc.array(oneOf, { maxLength: 1 }),
      })
      .map((rest) => ({
        cidrs,
        plan: { ...rest, pins: dropUndefined(rest.pins), object: { kind: 'TenantNetwork', name: 'blue' }, cidrs: cidrs.map(formatCidr) },
      }));
  });

const dropUndefined = (pins: { readonly [name: string]: string | undefined }): Record<string, string> =>
  Object.fromEntries(Object.entries(pins).flatMap(([name, pin]) => (pin === undefined ? [] : [[name, pin]])));

/** The plans among the inputs, and a test that there are enough of them for the property to mean something. */
function forEveryPlan(check: (planned: FamilyAddresses[], input: AddressPlanInput, cidrs: readonly Cidr[]) => void): void {
  let plans = 0;
  fc.assert(
    fc.property(input, ({ plan, cidrs }) => {
      const planned = families(plan);
      if (!planned) return;
      plans += 1;
      check(planned, plan, cidrs);
    }),
    { numRuns: 3000 },
  );
  expect(plans).toBeGreaterThan(600);
}

test('no address ever has two owners', () => {
  forEveryPlan((planned) => {
    for (const family of planned) {
      const single = Object.values(fixed(family)).flatMap((text) => (text === undefined ? [] : [[text, text] as const]));
      const all = [...single, ...family.pool]
        .map(([first, last]) => [number(first), number(last)] as const)
        .sort((a, b) => (a[0] < b[0] ? -1 : 1));
      for (const [i, range] of all.entries()) {
        expect(range[0] <= range[1]).toBe(true);
        const next = all[i + 1];
        if (next) expect(range[1] < next[0]).toBe(true);
      }
    }
  });
});

test('no address is ever outside the CIDR, and none is the network or broadcast address', () => {
  forEveryPlan((planned, plan) => {
    expect(planned.map((family) => family.cidr).sort()).toEqual([...plan.cidrs].sort());
    for (const family of planned) {
      const cidr = ipaddr.parseCIDR(family.cidr);
      const texts = [...Object.values(fixed(family)).flatMap((text) => text ?? []), ...family.pool.flat()];
      const forbidden =
        cidr[0].kind() === 'ipv4'
          ? [ipaddr.IPv4.networkAddressFromCIDR(family.cidr).toString(), ipaddr.IPv4.broadcastAddressFromCIDR(family.cidr).toString()]
          : [cidr[0].toString()];
      expect(texts.filter((text) => !ipaddr.parse(text).match(cidr))).toEqual([]);
      expect(texts.filter((text) => forbidden.includes(ipaddr.parse(text).toString()))).toEqual([]);
    }
  });
});

test('the pool holds no reserved address, and no more addresses than were asked for', () => {
  forEveryPlan((planned, plan) => {
    for (const family of planned) {
      const pool = family.pool.map(([first, last]) => [number(first), number(last)] as const);
      const kind = family.cidr.includes(':');
      const reserved = plan.reserved.filter((text) => text.includes(':') === kind).map((text) => text.split('-').map(number));
      const hit = reserved.filter(([first = 0n, last = first]) => pool.some((range) => first <= range[1] && last >= range[0]));
      expect(hit).toEqual([]);
      const size = pool.reduce((sum, [first, last]) => sum + last - first + 1n, 0n);
      expect(size <= BigInt(plan.poolSize)).toBe(true);
    }
  });
});

test('the same input has the same plan', () => {
  fc.assert(
    fc.property(input, ({ plan }) => {
      expect(attempt(() => planAddresses(structuredClone(plan)))).toEqual(attempt(() => planAddresses(plan)));
    }),
  );
});

test('pins are where they were pinned', () => {
  forEveryPlan((planned, plan) => {
    const texts = planned.flatMap((family) => Object.values(fixed(family)));
    const asked = [
      plan.router === 'None' ? undefined : plan.router,
      plan.pins.edgeA,
      plan.pins.vip,
      plan.availability === 'Single' ? undefined : plan.pins.edgeB,
      plan.pins.prober,
    ];
    expect(asked.filter((text) => text !== undefined && !texts.includes(text))).toEqual([]);
  });
});

test('adding a reserved range never moves a fixed address: the plan keeps it or is refused', () => {
  let kept = 0;
  let refused = 0;
  const grown = input.chain(({ plan, cidrs }) => fc.tuple(fc.constant(plan), fc.oneof(...cidrs.map(rangeIn)), fc.nat()));
  fc.assert(
    fc.property(grown, ([plan, range, at]) => {
      const before = families(plan);
      if (!before) return;
      const reserved = plan.reserved.toSpliced(at % (plan.reserved.length + 1), 0, range);
      const after = families({ ...plan, reserved });
      // Nobody dials the prober, so it may step aside.
      const dialled = (family: FamilyAddresses) => ({ ...fixed(family), prober: undefined });
      if (after) expect(after.map(dialled)).toEqual(before.map(dialled));
      if (after) kept += 1;
      else refused += 1;
    }),
    { numRuns: 3000 },
  );
  expect(Math.min(kept, refused)).toBeGreaterThan(100);
});
