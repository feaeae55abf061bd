import { expect, test } from 'vitest';
import { leasedAddress, parseSteps, reportOf, type WorkerRecord } from './worker.ts';

const WORKER: WorkerRecord = {
  name: 'blue-abc12-x7k2p',
  kind: 'vm',
  mac: '02:00:00:00:00:01',
  segment: 'vlan100',
  node: 'hub-b',
  memoryMiB: 1024,
  dhcpClient: 'busybox',
  poweredOn: 1_000_000,
  started: true,
};
const LINES =
  '1008.5\tboot\t6.1.0\n1009.25\tlease\t192.168.100.13/24 blue-abc12-x7k2p\n1010\tdns\tignition.blue.example.com 192.168.100.3\n';

test('steps are told in seconds since the power came on, and a line that is still being written is not there yet', () => {
  expect(parseSteps(`${LINES}1011\tigni`, WORKER.poweredOn)).toEqual([
    { step: 'boot', seconds: 8.5, detail: '6.1.0' },
    { step: 'lease', seconds: 9.25, detail: '192.168.100.13/24 blue-abc12-x7k2p' },
    { step: 'dns', seconds: 10, detail: 'ignition.blue.example.com 192.168.100.3' },
  ]);
  expect(leasedAddress(parseSteps(LINES, WORKER.poweredOn))).toBe('192.168.100.13');
});

test('a worker that goes its way has no problem', () => {
  expect(reportOf(WORKER, parseSteps(LINES, WORKER.poweredOn), true)).toEqual({
    name: 'blue-abc12-x7k2p',
    kind: 'vm',
    steps: [
      { step: 'boot', seconds: 8.5, detail: '6.1.0' },
      { step: 'lease', seconds: 9.25, detail: '192.168.100.13/24 blue-abc12-x7k2p' },
      { step: 'dns', seconds: 10, detail: 'ignition.blue.example.com 192.168.100.3' },
    ],
  });
});

test('a host name other than that of the VM is a problem, and so is none', () => {
  const problem = (lease: string) => reportOf(WORKER, parseSteps(`1009\tlease\t${lease}\n`, WORKER.poweredOn), true).problem;
  expect(problem('192.168.100.13/24 worker-1')).toBe(
    "DHCP calls it worker-1, but its VM is blue-abc12-x7k2p: its Node would be nobody's Machine, and its certificate stays pending",
  );
  expect(problem('192.168.100.13/24 ')).toBe(
    "DHCP gave it no host name (option 12), so it calls itself localhost and not blue-abc12-x7k2p, and its Node is nobody's Machine",
  );
});

test('a worker whose process is gone says where to look', () => {
  expect(reportOf(WORKER, [], false).problem).toBe('its QEMU has ended: see `hcpio lab logs worker-blue-abc12-x7k2p`');
  expect(reportOf({ ...WORKER, started: false }, [], false).problem).toBeUndefined();
});
