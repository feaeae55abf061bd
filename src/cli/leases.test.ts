import { expect, test } from 'vitest';
import { type EdgeLeases, readKea } from './kea-leases.ts';
import { leasesView } from './lease-view.ts';
import { leasesText } from './leases-text.ts';
import { plain } from './terminal.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const seconds = NOW / 1000;

const keaLease = (address: string, mac: string, change: object = {}) => ({
  cltt: seconds - 100,
  'fqdn-fwd': false,
  'fqdn-rev': false,
  hostname: 'blue-1',
  'hw-address': mac,
  'ip-address': address,
  pool: 0,
  state: 0,
  'subnet-id': 1,
  'valid-lft': 900,
  ...change,
});
const said = (
  leases: readonly object[],
  local: object = { role: 'primary', scopes: ['edge-a'], 'server-name': 'edge-a', state: 'hot-standby' },
) =>
  JSON.stringify({
    'kea-dhcp4': {
      leases: { arguments: { leases }, result: 0, text: `${leases.length} IPv4 lease(s) found.` },
      status: {
        arguments: { pid: 1, 'high-availability': [{ 'ha-mode': 'hot-standby', 'ha-servers': { local, remote: {} } }] },
        result: 0,
      },
    },
  });

const edgeA = (...leases: readonly object[]): EdgeLeases => readKea('edge-a', said(leases));
const edgeB = (...leases: readonly object[]): EdgeLeases =>
  readKea('edge-b', said(leases, { role: 'standby', scopes: [], 'server-name': 'edge-b', state: 'hot-standby' }));

const machines = [
  { mac: '02:00:00:00:01:01', machine: 'blue-1', addresses: ['192.168.100.10'] },
  { mac: '02:00:00:00:01:02', machine: 'blue-2', addresses: ['192.168.100.9'] },
];
const first = keaLease('192.168.100.10', '02:00:00:00:01:01');

test('what Kea says is read, and nothing is not an error', () => {
  expect(edgeA(first)).toEqual({
    edge: 'edge-a',
    serves: true,
    state: 'hot-standby',
    leases: [{ address: '192.168.100.10', mac: '02:00:00:00:01:01', hostname: 'blue-1', state: 'leased', expires: seconds + 800 }],
  });
  const none = { leases: { result: 3, text: '0 IPv4 lease(s) found.' }, status: { arguments: { pid: 1 }, result: 0 } };
  expect(readKea('edge-a', JSON.stringify({ 'kea-dhcp4': none }))).toEqual({ edge: 'edge-a', serves: true, state: 'alone', leases: [] });
});

test('a lease is shown with its VM, and a machine that has not asked is there as well', () => {
  const view = leasesView({ tenant: 'clusters/blue', machines, answers: [edgeA(first), edgeB(first)], notes: [] });
  expect(`\n${leasesText(view, NOW, plain).join('\n')}\n`).toBe(`
Tenant network clusters/blue: 1 lease
edge-a answers (hot-standby), edge-b stands by (hot-standby); both know the same

  address         MAC                VM      state          expires in  reserved  known to
  192.168.100.9   02:00:00:00:01:02  blue-2  not asked for  -           yes       -
  192.168.100.10  02:00:00:00:01:01  blue-1  leased         13m         yes       both
`);
  expect(view.agree).toBe(true);
});

test('what the edges do not agree on is told, whatever it is', () => {
  const second = keaLease('192.168.100.11', '02:00:00:00:01:09', { hostname: 'stranger.' });
  const later = keaLease('192.168.100.10', '02:00:00:00:01:01', { cltt: seconds });
  const view = leasesView({
    tenant: 'clusters/blue',
    machines: machines.slice(0, 1),
    answers: [edgeA(first, second), edgeB(later)],
    notes: [],
  });
  expect(view.agree).toBe(false);
  expect(view.leases.map(({ address, machine, reserved, edges, difference }) => [address, machine, reserved, edges, difference])).toEqual([
    ['192.168.100.10', 'blue-1', true, ['edge-a', 'edge-b'], 'edge-a: 03:17:25; edge-b: 03:19:05'],
    ['192.168.100.11', 'stranger', false, ['edge-a'], 'only edge-a knows it'],
  ]);
  expect(leasesText(view, NOW, plain)[1]).toBe(
    'edge-a answers (hot-standby), edge-b stands by (hot-standby); they do not agree, see below',
  );
});

test('an address under the MAC of somebody else is not the one that was reserved', () => {
  const taken = keaLease('192.168.100.10', '02:00:00:00:01:99', { state: 1, hostname: '' });
  const [row] = leasesView({ tenant: 'clusters/blue', machines: machines.slice(0, 1), answers: [edgeA(taken)], notes: [] }).leases;
  expect(row).toMatchObject({ mac: '02:00:00:00:01:99', machine: '', state: 'declined', reserved: false, difference: undefined });
});

test('with one of the pair alone nothing can be said of their agreement', () => {
  const notes = ['edge-b could not be asked: it has no pod'];
  const view = leasesView({ tenant: 'clusters/blue', machines, answers: [edgeA(first)], notes });
  expect([view.agree, leasesText(view, NOW, plain).slice(0, 3)]).toEqual([
    undefined,
    ['Tenant network clusters/blue: 1 lease', 'edge-a answers (hot-standby)', 'edge-b could not be asked: it has no pod'],
  ]);
});
