/** Logs outlive their lab: those of the last run of a name can be read after `down`, and after an `up` that failed. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkName, LOG_ROOT } from './layout.ts';

export async function readLog(lab: string, part: string, lastLines?: number): Promise<string> {
  checkName(lab);
  const runs = (await readdir(join(LOG_ROOT, lab)).catch((): string[] => [])).sort();
  const latest = runs.at(-1);
  if (latest === undefined) throw new Error(`lab ${lab} has never run here`);
  const dir = join(LOG_ROOT, lab, latest);
  const parts = (await readdir(dir)).filter((file) => file.endsWith('.log')).map((file) => file.slice(0, -'.log'.length));
  if (!parts.includes(part)) throw new Error(`no part ${part}: choose one of ${parts.sort().join(', ')}`);
  const text = await readFile(join(dir, `${part}.log`), 'utf8');
  return lastLines === undefined ? text : `${text.trimEnd().split('\n').slice(-lastLines).join('\n')}\n`;
}
