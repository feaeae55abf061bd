/** Looks at the world from where a pod stands: with its network and without its image, which has no tools. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lab } from '../../../src/lab/contract.ts';

const ROOT = join(import.meta.dirname, '../../..');

export async function runInPod(lab: Lab, namespace: string, name: string, argv: readonly string[]): Promise<string> {
  const uid = await lab.kubectl(['get', 'pod', name, `--namespace=${namespace}`, '--output=jsonpath={.metadata.uid}']);
  return lab.run(['nsenter', `--net=/proc/${processOf(uid)}/ns/net`, '--', ...argv]);
}

/** What becomes of connections to each: `open`, an error code, or `silence`. */
export async function dialFromPod(
  lab: Lab,
  namespace: string,
  name: string,
  targets: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const program = [join(ROOT, 'node_modules/node/bin/node'), join(ROOT, 'test/real/programs/tcp.ts')];
  return JSON.parse(await runInPod(lab, namespace, name, [...program, 'dial', ...targets])) as Readonly<Record<string, string>>;
}

/** The pod's first process, by the cgroup that kubelet made for it: the one that holds its network. Others come and go with every probe. */
function processOf(uid: string): number {
  const [first] = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && read(entry, 'cgroup').includes(uid))
    .map((pid) => ({ pid: Number(pid), startedAt: startOf(pid) }))
    .sort((a, b) => a.startedAt - b.startedAt);
  if (first === undefined) throw new Error(`no process of pod ${uid}`);
  return first.pid;
}

/** Its 22nd field; the name before it is in parentheses and may have blanks. */
const startOf = (pid: string): number => Number(read(pid, 'stat').split(') ').at(-1)?.split(' ')[19] ?? Number.POSITIVE_INFINITY);

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // gone since the directory was read
  }
}
