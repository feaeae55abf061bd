/** One lab for all that is tried without hcpio: the hub itself, and a hosted cluster as HyperShift would have put it there. */
import { expect } from 'vitest';
import { openLab } from '../../../src/lab/open.ts';
import type { RunningLab } from '../../../src/lab/running-lab.ts';
import { hcpioLab, hcpioLabWell } from '../testing/cli.ts';
import { machineState, remainsOf } from '../testing/machine.ts';
import { importBusybox } from '../testing/pods.ts';

export const NAME = 'tbare';
export let lab: RunningLab;
/** The machine's own, before there was a lab. */
export let machineBefore: unknown;

export async function bringUp(): Promise<void> {
  await hcpioLab('down', '--name', NAME);
  machineBefore = machineState();
  await hcpioLabWell('up', '--name', NAME);
  lab = await openLab(NAME);
  await importBusybox(lab);
}

export async function clearAway(): Promise<void> {
  await hcpioLab('down', '--name', NAME, '--purge');
  expect(remainsOf(NAME)).toEqual([]);
}
