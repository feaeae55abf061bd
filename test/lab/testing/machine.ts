/** What a lab could leave behind on a machine, looked for without asking the lab's own records. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Everything that carries the lab's name, one line each. */
export function remainsOf(lab: string): readonly string[] {
  const files = entries('/var/lib/hcpio-lab').filter((entry) => entry === lab || entry.startsWith(`.new-${lab}-`));
  const namespaces = entries('/run/netns').filter((entry) => entry.startsWith(`${lab}-`));
  const mounts = read('/proc/self/mountinfo')
    .split('\n')
    .filter((line) => line.includes(`/hcpio-lab/${lab}/`) || line.includes(`/run/netns/${lab}-`));
  const cgroups = cgroupMounts().filter((path) => existsSync(join(path, `hcpio-lab-${lab}`)));
  return [
    ...files.map((entry) => `file /var/lib/hcpio-lab/${entry}`),
    ...namespaces.map((entry) => `namespace ${entry}`),
    ...mounts.map((line) => `mount ${line}`),
    ...cgroups.map((path) => `cgroup ${path}/hcpio-lab-${lab}`),
    ...processesOf(lab).map(({ pid, command }) => `process ${pid} ${command}`),
  ];
}

export interface Seen {
  readonly pid: number;
  readonly command: string;
}

/** By cgroup, by arguments, by environment and by mounts: a process that escaped one is caught by another. */
export function processesOf(lab: string): readonly Seen[] {
  const marks = [`hcpio-lab-${lab}/`, `/hcpio-lab/${lab}/`];
  const traces = ['cgroup', 'cmdline', 'environ', 'mountinfo'];
  return (
    entries('/proc')
      .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
      // One that has ended and waits for its parent, which is the machine's first process by then, to take note.
      .filter((pid) => !/\) Z /.test(read(`/proc/${pid}/stat`)))
      .filter((pid) => traces.some((trace) => marks.some((mark) => read(`/proc/${pid}/${trace}`).includes(mark))))
      .map((pid) => ({ pid: Number(pid), command: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() }))
  );
}

/** What belongs to the machine and must be the same before and after. */
export function machineState(): unknown {
  const sysctls = ['vm/overcommit_memory', 'kernel/panic', 'kernel/panic_on_oops', 'kernel/hostname', 'net/ipv4/ip_forward'];
  const places = [
    '/run/containerd',
    '/run/runc',
    '/run/flannel',
    '/run/xtables.lock',
    '/var/lib/cni',
    '/var/lib/kubelet',
    '/var/log/pods',
    '/var/log/containers',
  ];
  return {
    interfaces: json('ip', '-json', 'link').map(({ ifname }) => ifname),
    routes: json('ip', '-json', 'route', 'show', 'table', 'all').map(({ dst, dev, table }) => [dst, dev, table]),
    sysctls: sysctls.map((name) => `${name} = ${read(`/proc/sys/${name}`).trim()}`),
    places: places.filter((place) => existsSync(place)),
  };
}

interface IpRow {
  readonly [field: string]: unknown;
}

function json(command: string, ...args: string[]): readonly IpRow[] {
  return JSON.parse(execFileSync(command, args, { encoding: 'utf8' })) as readonly IpRow[];
}

function cgroupMounts(): readonly string[] {
  return read('/proc/self/mountinfo')
    .split('\n')
    .filter((line) => / - cgroup2? /.test(line))
    .map((line) => line.split(' ')[4] ?? '');
}

function entries(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
