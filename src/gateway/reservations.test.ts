import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LeaseHolder, planReservations } from './reservations.ts';
import type { TenantPlan } from './tenant-plan.ts';

const addresses = (size: number): TenantPlan['addresses'] => ({
  ipv4: { cidr: '192.168.100.0/24', edgeA: '192.168.100.2', vip: '192.168.100.3', pool: [['192.168.100.10', `192.168.100.${9 + size}`]] },
});
const machine = (n: number): LeaseHolder => ({
  machine: `worker-${n}`,
  mac: `02:00:00:00:00:${n.toString(16).padStart(2, '0')}`,
  seen: [],
});
const addressesOf = (plan: ReturnType<typeof planReservations>) =>
  Object.fromEntries(plan.reservations.map((r) => [r.machine, r.addresses.ipv4]));
const allocationsOf = (plan: ReturnType<typeof planReservations>) =>
  plan.reservations.map((r) => ({ mac: r.mac, addresses: Object.values(r.addresses) }));

test('machines that come and go move nobody, and no address has two owners', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat({ max: 60 })), fc.uniqueArray(fc.nat({ max: 60 })), (before, after) => {
      const first = planReservations(before.map(machine), addresses(80), []);
      const second = planReservations(after.map(machine), addresses(80), allocationsOf(first));
      const given = second.reservations.map((r) => r.addresses.ipv4);
      expect(new Set(given).size).toBe(after.length);
      const [was, is] = [addressesOf(first), addressesOf(second)];
      for (const n of after) if (before.includes(n)) expect(is[`worker-${n}`]).toBe(was[`worker-${n}`]);
    }),
  );
});

test('the plan of an applied plan is the same plan', () => {
  const first = planReservations([1, 2, 3].map(machine), addresses(5), []);
  expect(planReservations([3, 2, 1].map(machine), addresses(5), allocationsOf(first))).toEqual(first);
});

test('a machine that already uses an address of the pool keeps it', () => {
  const plan = planReservations([{ ...machine(1), seen: ['10.0.0.1', '192.168.100.77'] }], addresses(100), []);
  expect(addressesOf(plan)).toEqual({ 'worker-1': '192.168.100.77' });
});

test('machines beyond the end of the pool are named', () => {
  const plan = planReservations([1, 2, 3].map(machine), addresses(2), []);
  expect(plan.left).toHaveLength(1);
  expect(plan.reservations.filter((r) => r.addresses.ipv4 !== undefined)).toHaveLength(2);
});
