/** How a worker VM is started. Pure. */

export interface Machine {
  readonly name: string;
  readonly mac: string;
  /** In the namespace that QEMU runs in. */
  readonly tap: string;
  readonly kernel: string;
  readonly initrd: string;
  readonly disk: string;
  readonly configDrive: string;
  /** Where steps are written, the console's socket and log, and the agent's socket. */
  readonly files: MachineFiles;
  readonly accelerator: 'kvm' | 'tcg';
  readonly memoryMiB: number;
  readonly dhcpClient: 'busybox' | 'networkmanager';
}

export interface MachineFiles {
  readonly steps: string;
  readonly agent: string;
  readonly console: string;
  readonly consoleLog: string;
}

export function qemuCommand(machine: Machine): readonly [string, ...string[]] {
  const { files } = machine;
  return [
    'qemu-system-x86_64',
    ...['-name', machine.name, '-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot'],
    // A small translation cache: it is the largest part of QEMU's own memory, and 256 MiB are as fast.
    ...(machine.accelerator === 'kvm' ? ['-accel', 'kvm', '-cpu', 'host'] : ['-accel', 'tcg,thread=multi,tb-size=256', '-cpu', 'max']),
    ...['-machine', 'q35,usb=off', '-smp', '1', '-m', `${machine.memoryMiB}`],
    ...['-kernel', machine.kernel, '-initrd', machine.initrd, '-append', `${KERNEL_ARGUMENTS} lab.dhcp=${machine.dhcpClient}`],
    ...['-drive', options(undefined, { file: machine.disk, format: 'qcow2', if: 'virtio', cache: 'unsafe' })],
    ...['-drive', options(undefined, { file: machine.configDrive, format: 'raw', if: 'virtio', readonly: 'on' })],
    ...['-netdev', options('tap', { id: 'segment', ifname: machine.tap, script: 'no', downscript: 'no' })],
    ...['-device', `virtio-net-pci,netdev=segment,mac=${machine.mac}`],
    ...['-device', 'virtio-rng-pci'],
    ...['-chardev', options('socket', { ...listening('console', files.console), logfile: files.consoleLog })],
    ...['-serial', 'chardev:console'],
    ...['-device', 'virtio-serial-pci'],
    ...['-chardev', options('file', { id: 'steps', path: files.steps, append: 'on' })],
    ...['-device', 'virtserialport,chardev=steps,name=steps,nr=1'],
    ...['-chardev', options('socket', listening('agent', files.agent))],
    ...['-device', 'virtserialport,chardev=agent,name=agent,nr=2'],
  ];
}

/** eth0, because the names that udev would give are udev's. */
const KERNEL_ARGUMENTS = 'root=/dev/vda rw init=/lab/init console=ttyS0 quiet net.ifnames=0 panic=-1 mitigations=off';

/** `kind,key=value,...`; a comma in a value is written twice. */
function options(kind: string | undefined, values: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(values).map(([key, value]) => `${key}=${value.replaceAll(',', ',,')}`);
  return [...(kind === undefined ? [] : [kind]), ...pairs].join(',');
}

const listening = (id: string, path: string) => ({ id, path, server: 'on', wait: 'off' });
