/** What the lab keeps of a worker on disk, and what can be read from it at any time: who it is, how far it has come, what is wrong. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lab, WorkerReport } from '../contract.ts';

export type WorkerKind = WorkerReport['kind'];
export type DhcpClient = 'busybox' | 'networkmanager';

export interface WorkerSpec {
  /** The name of its VM; what it must call itself. */
  readonly name: string;
  readonly kind: WorkerKind;
  readonly mac: string;
  readonly segment: string;
  /** The hub's node whose bridge it is plugged into. */
  readonly node: string;
  readonly memoryMiB: number;
  /** busybox is quicker; NetworkManager is what RHCOS has. Light workers know busybox only. */
  readonly dhcpClient: DhcpClient;
}

export interface WorkerRecord extends WorkerSpec {
  /** Milliseconds since the epoch. */
  readonly poweredOn: number;
  /** False while its cable and disk are being made: no process is missed yet. */
  readonly started: boolean;
}

export interface Step {
  readonly step: string;
  readonly seconds: number;
  readonly detail: string;
}

const RECORD = 'worker.json';
const STEPS = 'steps';

export const partOf = (name: string): string => `worker-${name}`;

/** Short, whatever the worker is called: unix sockets are below it, and interfaces carry it in their name. */
export const shortId = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 8);

const workersDir = (lab: Pick<Lab, 'dir'>) => join(lab.dir, 'workers');

export function workerFiles(lab: Pick<Lab, 'dir'>, name: string) {
  const dir = join(workersDir(lab), shortId(name));
  const file = (base: string) => join(dir, base);
  return {
    dir,
    record: file(RECORD),
    steps: file(STEPS),
    userData: file('user-data'),
    disk: file('disk.qcow2'),
    configDrive: file('config-2.img'),
    agent: file('agent.sock'),
    console: file('console.sock'),
    consoleLog: file('console.log'),
  };
}

export async function readWorkers(lab: Pick<Lab, 'dir'>): Promise<readonly WorkerRecord[]> {
  const entries = await readdir(workersDir(lab)).catch(() => []);
  const records = await Promise.all(entries.map((entry) => readFile(join(workersDir(lab), entry, RECORD), 'utf8').catch(() => undefined)));
  const workers = records.flatMap((text) => (text === undefined ? [] : [JSON.parse(text) as WorkerRecord]));
  return workers.sort((a, b) => a.poweredOn - b.poweredOn || a.name.localeCompare(b.name));
}

export async function readSteps(lab: Pick<Lab, 'dir'>, worker: WorkerRecord): Promise<readonly Step[]> {
  const text = await readFile(workerFiles(lab, worker.name).steps, 'utf8').catch(() => '');
  return parseSteps(text, worker.poweredOn);
}

/** One line per step: seconds since the epoch by the worker's clock, the step, what there is to say of it. A line may be half written. */
export function parseSteps(text: string, poweredOn: number): readonly Step[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.flatMap((line) => {
    const [at = '', step = '', detail = ''] = line.split('\t');
    const seconds = Number(at) - poweredOn / 1000;
    return step === '' || Number.isNaN(seconds) ? [] : [{ step, seconds: Math.round(seconds * 1000) / 1000, detail: detail.trim() }];
  });
}

/** The address a worker got, as its guest agent would tell KubeVirt. */
export function leasedAddress(steps: readonly Step[]): string | undefined {
  return steps.find(({ step }) => step === 'lease')?.detail.split(/[/ ]/)[0];
}

export function reportOf(worker: WorkerRecord, steps: readonly Step[], alive: boolean): WorkerReport {
  const problem = problemOf(worker, steps, alive);
  return {
    name: worker.name,
    kind: worker.kind,
    steps,
    ...(problem === undefined ? {} : { problem }),
  };
}

function problemOf({ name, kind, started }: WorkerRecord, steps: readonly Step[], alive: boolean): string | undefined {
  const lease = steps.find(({ step }) => step === 'lease');
  const [, hostname = ''] = lease?.detail.split(' ') ?? [];
  if (lease !== undefined && hostname === '')
    return `DHCP gave it no host name (option 12), so it calls itself localhost and not ${name}, and its Node is nobody's Machine`;
  if (lease !== undefined && hostname !== name)
    return `DHCP calls it ${hostname}, but its VM is ${name}: its Node would be nobody's Machine, and its certificate stays pending`;
  if (started && !alive) return `its ${kind === 'vm' ? 'QEMU' : 'process'} has ended: see \`hcpio lab logs ${partOf(name)}\``;
  return undefined;
}
