/** Which labs there are, in any state. */
import { readdir } from 'node:fs/promises';
import { STATE_ROOT } from '../layout.ts';

export async function labNames(): Promise<readonly string[]> {
  const entries = await readdir(STATE_ROOT).catch(() => []);
  return entries.filter((entry) => !entry.startsWith('.')).sort();
}
