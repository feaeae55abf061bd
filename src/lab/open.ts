/** Finds a lab again. Also one that is not complete, so that it can be looked at. */
import type { Reporter } from './progress.ts';
import { silent } from './progress.ts';
import { RunningLab } from './running-lab.ts';
import { phaseOf, readRecord } from './state/claim.ts';

export async function openLab(name: string, reporter: Reporter = silent): Promise<RunningLab> {
  const found = await phaseOf(name);
  if (found.phase === 'absent') throw new Error(`there is no lab ${name}: \`hcpio lab up --name ${name}\` makes one`);
  if (found.phase === 'closing') throw new Error(`lab ${name} is being taken down: finish it with \`hcpio lab down --name ${name}\``);
  const record = await readRecord(name);
  if (!record) throw new Error(`lab ${name} has no record: clear it away with \`hcpio lab down --name ${name}\``);
  return RunningLab.of(record, reporter);
}
