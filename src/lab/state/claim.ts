/**
 * The lab's directory is its lock and its memory. It appears complete or not at all (made aside, then renamed), and carries who made it,
 * so that a second `up` under the same name sees whether the first is at work, has finished, or was killed.
 */
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LabOptions } from '../contract.ts';
import { LOG_ROOT, layoutOf, STATE_ROOT } from '../layout.ts';
import { formatIdentity, identify, isAlive, type ProcessIdentity, parseIdentity } from './process-identity.ts';

/** What later commands need to know of the `up` that made the lab. */
export interface LabRecord {
  readonly options: LabOptions;
  readonly logs: string;
  /** ISO time; also the name of the run. */
  readonly startedAt: string;
}

export type Phase =
  | { readonly phase: 'absent' }
  /** An `up` works on it right now. */
  | { readonly phase: 'starting'; readonly by: ProcessIdentity }
  | { readonly phase: 'standing' }
  /** Its `up` failed and was told to leave things, or was killed. It can be looked at. */
  | { readonly phase: 'abandoned' }
  /** A `down` is at it, or was: only `down` can go on from here. */
  | { readonly phase: 'closing' };

const SUBDIRS = ['parts', 'commands', 'netns', 'stand-ins', 'pki', 'nodes'] as const;

/** Takes the name, or says in one line why it cannot be had. */
export async function claim(options: LabOptions, now: Date): Promise<LabRecord> {
  const { dir } = layoutOf(options);
  await refuseIfTaken(options.name);
  const startedAt = now.toISOString();
  const record: LabRecord = { options, startedAt, logs: join(LOG_ROOT, options.name, startedAt.replaceAll(':', '-')) };
  const self = await identify(process.pid);
  if (!self) throw new Error('/proc is not mounted: the lab needs it to know its processes');
  const aside = join(STATE_ROOT, `.new-${options.name}-${self.pid}-${self.startTime}`);
  for (const sub of SUBDIRS) await mkdir(join(aside, sub), { recursive: true });
  await writeFile(join(aside, 'owner'), formatIdentity(self));
  await writeFile(join(aside, 'lab.json'), `${JSON.stringify(record, null, 2)}\n`);
  await mkdir(record.logs, { recursive: true });
  try {
    // Fails when somebody was faster: a directory that holds something is not replaced.
    await rename(aside, dir);
  } catch (failure) {
    await rm(aside, { recursive: true, force: true });
    await refuseIfTaken(options.name);
    throw failure;
  }
  return record;
}

async function refuseIfTaken(name: string): Promise<void> {
  const found = await phaseOf(name);
  const again = `hcpio lab down --name ${name}`;
  if (found.phase === 'starting') throw new Error(`lab ${name} is being started by process ${found.by.pid}`);
  if (found.phase === 'standing')
    throw new Error(`lab ${name} is already up: look at it with \`hcpio lab status\`, or end it with \`${again}\``);
  if (found.phase === 'abandoned') throw new Error(`lab ${name} was left half-made: clear it away with \`${again}\``);
  if (found.phase === 'closing') throw new Error(`lab ${name} was not taken away completely: finish it with \`${again}\``);
}

export async function phaseOf(name: string): Promise<Phase> {
  const { dir } = layoutOf({ name, nodes: 0 });
  const entries = await readdir(dir).catch(() => undefined);
  if (!entries) return { phase: 'absent' };
  if (entries.includes('closing')) return { phase: 'closing' };
  if (entries.includes('standing')) return { phase: 'standing' };
  const owner = parseIdentity(await readFile(join(dir, 'owner'), 'utf8').catch(() => ''));
  return owner && (await isAlive(owner)) ? { phase: 'starting', by: owner } : { phase: 'abandoned' };
}

export async function readRecord(name: string): Promise<LabRecord | undefined> {
  const { dir } = layoutOf({ name, nodes: 0 });
  const text = await readFile(join(dir, 'lab.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as LabRecord);
}

/** From here on the lab stands without the process that made it. */
export async function markStanding(dir: string): Promise<void> {
  await writeFile(join(dir, 'standing'), '');
}

/** From here on nothing can be started in the lab any more: see launch.sh. */
export async function markClosing(dir: string): Promise<void> {
  await writeFile(join(dir, 'closing'), '');
}

/** The last thing of a lab to go. */
export async function forget(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true });
}

/** What a killed `up` had made before it had the name, and the common directory when no lab is left. */
export async function sweep(): Promise<void> {
  for (const entry of await readdir(STATE_ROOT).catch((): string[] => [])) await removeIfAbandoned(entry);
  await rmdir(STATE_ROOT).catch(() => {});
}

async function removeIfAbandoned(entry: string): Promise<void> {
  const made = /^\.new-[a-z0-9]+-(\d+)-(\d+)$/.exec(entry);
  const maker = made && parseIdentity(`${made[1]} ${made[2]}`);
  if (maker && !(await isAlive(maker))) await rm(join(STATE_ROOT, entry), { recursive: true, force: true });
}
