import { expect, test } from 'vitest';
import { hcpioLab } from '../testing/cli.ts';
import { machineState, remainsOf } from '../testing/machine.ts';
import { machineBefore, NAME } from './lab.ts';

test('after down nothing is left', async () => {
  expect(remainsOf(NAME).length).toBeGreaterThan(10);
  expect((await hcpioLab('down', '--name', NAME)).stdout).toContain(`lab ${NAME} is gone`);
  expect(remainsOf(NAME)).toEqual([]);
  expect(machineState()).toEqual(machineBefore);
});
