import { expect, test } from 'vitest';
import { type Machine, qemuCommand } from './qemu.ts';

const MACHINE: Machine = {
  name: 'blue-abc12-x7k2p',
  mac: '02:00:00:00:00:01',
  tap: 'w1a2b3c4d',
  kernel: '/k',
  initrd: '/i',
  disk: '/lab,1/disk.qcow2',
  configDrive: '/c.img',
  files: { steps: '/steps', agent: '/agent.sock', console: '/console.sock', consoleLog: '/console.log' },
  accelerator: 'tcg',
  memoryMiB: 1024,
  dhcpClient: 'busybox',
};
const valuesOf = (machine: Machine, option: string) =>
  qemuCommand(machine).flatMap((word, index, all) => (all[index - 1] === option ? [word] : []));

test('a machine has a cable into its segment and no other, and a config drive that it cannot change', () => {
  expect(valuesOf(MACHINE, '-netdev')).toEqual(['tap,id=segment,ifname=w1a2b3c4d,script=no,downscript=no']);
  expect(valuesOf(MACHINE, '-device').filter((device) => device.includes('net'))).toEqual([
    'virtio-net-pci,netdev=segment,mac=02:00:00:00:00:01',
  ]);
  expect(valuesOf(MACHINE, '-drive')[1]).toBe('file=/c.img,format=raw,if=virtio,readonly=on');
});

test('a comma in a path stays in the path', () => {
  expect(valuesOf(MACHINE, '-drive')[0]).toBe('file=/lab,,1/disk.qcow2,format=qcow2,if=virtio,cache=unsafe');
});

test('the accelerator and the DHCP client are as ordered', () => {
  const other: Machine = { ...MACHINE, accelerator: 'kvm', dhcpClient: 'networkmanager' };
  const seen = [MACHINE, other].map((machine) => [
    valuesOf(machine, '-accel'),
    valuesOf(machine, '-cpu'),
    valuesOf(machine, '-append')[0]?.split(' ').at(-1),
  ]);
  expect(seen).toEqual([
    [['tcg,thread=multi,tb-size=256'], ['max'], 'lab.dhcp=busybox'],
    [['kvm'], ['host'], 'lab.dhcp=networkmanager'],
  ]);
});
