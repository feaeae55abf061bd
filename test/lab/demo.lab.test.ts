import { afterAll, expect, test } from 'vitest';
import { hcpioLab } from './testing/cli.ts';
import { remainsOf } from './testing/machine.ts';

/** `make demo`, as it is printed where there is no terminal: from nothing to a VM that joined, with the operator and nobody's hands. */
const NAME = 'tdemo';

afterAll(async () => {
  await hcpioLab('down', '--name', NAME, '--purge');
  expect(remainsOf(NAME)).toEqual([]);
});

/** The first word of each line of the live view, in the order of the first time that it came. */
const reached = (out: string): readonly string[] => [
  ...new Set([...out.matchAll(/^ {2}(\w+(?: on)?) +[\d.]+ s(?: |$)/gm)].map(([, name = '']) => name)),
];

test('the demo ends with a VM that joined, every condition true and every probe passed', async () => {
  const { code, stdout, stderr } = await hcpioLab('demo', '--name', NAME);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const steps = reached(stdout);
  expect(steps.toSorted()).toEqual(
    [
      ...['Accepted', 'Planned', 'Applied', 'EdgeReady', 'EndpointsReady', 'SegmentProven', 'NodePoolsReleased', 'Ready'],
      ...['power on', 'boot', 'lease', 'dns', 'ignition', 'kubelet', 'certificate', 'registered', 'konnectivity', 'ready'],
    ].toSorted(),
  );
  // What the gate is for: no VM is powered on before the segment is proven.
  expect(steps.indexOf('power on')).toBeGreaterThan(steps.indexOf('SegmentProven'));
  // Whoever tries it for the first time should not have to wonder about a warning.
  expect(stdout).toMatch(/^ {2}Accepted +[\d.]+ s {2}no check objects$/m);
  expect(stdout).toMatch(/^ *│[◄─ ]*.*VIP 192\.168\.100\.3/m);
  expect(stdout).toMatch(/^10 probes: 10 passed; edge-[ab] holds the VIP$/m);
  expect(stdout).toMatch(/^(blue-\S+) joined through the gateway\. From nothing to Ready: \d+ s\.[\s\S]*^ {2}\1 +Ready /m);
  console.log(stdout.split('\n').find((line) => line.includes('joined through')));
});
