/** `make demo`, as it is printed where there is no terminal: from nothing to a VM that joined, with the operator and nobody's hands. */
import { expect, test } from 'vitest';
import { demonstrated, lab, vm } from './lab.ts';

/** The first word of each line of the live view, as often as it came. */
const reached = (out: string): readonly string[] => [...out.matchAll(/^ {2}(\w+(?: on)?) +[\d.]+ s(?: |$)/gm)].map(([, name = '']) => name);

test('the demo ends with a VM that joined, every condition true and every probe passed', () => {
  const { code, stdout, stderr } = demonstrated;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const steps = reached(stdout);
  expect([...new Set(steps)].toSorted()).toEqual(
    [
      ...['Accepted', 'Planned', 'Applied', 'EdgeReady', 'EndpointsReady', 'SegmentProven', 'NodePoolsReleased', 'Ready'],
      ...['power on', 'boot', 'lease', 'dns', 'ignition', 'kubelet', 'certificate', 'registered', 'konnectivity', 'ready'],
    ].toSorted(),
  );
  // What the gate is for: no VM is powered on before the segment is proven.
  expect(steps.indexOf('power on')).toBeGreaterThan(steps.indexOf('SegmentProven'));
  // Whoever tries it for the first time should not have to wonder about a warning, or about something that is lost again.
  expect(stdout).toMatch(/^ {2}Accepted +[\d.]+ s {2}no check objects$/m);
  expect(stdout.split('\n').filter((line) => line.startsWith('  SegmentProven '))).toEqual([
    expect.stringMatching(/^ {2}SegmentProven +[\d.]+ s {2}DHCP offers addresses; /),
  ]);
  expect(stdout).toMatch(/^ *│[◄─ ]*.*VIP 192\.168\.100\.3/m);
  const [, holder] = /^10 probes: 10 passed; (edge-[ab]) holds the VIP$/m.exec(stdout) ?? [];
  expect(holder).toMatch(/^edge-[ab]$/);
  // Deleting the other one would show nothing.
  expect(stdout).toContain(`kubectl delete pod -n clusters-blue-edge ${holder}-0 `);
  expect(stdout).toMatch(/^(blue-\S+) joined through the gateway\. From nothing to Ready: \d+ s\.[\s\S]*^ {2}\1 +Ready /m);
  console.log(stdout.split('\n').find((line) => line.includes('joined through')));
});

test('its NodePool waited until the segment was proven, and nothing but the proof let it go', async () => {
  const { pools } = demonstrated;
  expect(pools[0]).toEqual({ held: true, released: false, machines: 0 });
  expect(pools.filter(({ machines, released }) => machines > 0 && !released)).toEqual([]);
  expect(pools.at(-1)).toEqual({ held: false, released: true, machines: 1 });
  const events = ['events.events.k8s.io', '--namespace=clusters', '--field-selector=reason=Released'];
  expect(await lab.kubectl(['get', ...events, '-o', 'jsonpath={.items[*].regarding.name}'])).toBe('blue');
});

test('its VM went every step by itself', async () => {
  expect((await vm()).steps.map(({ step }) => step)).toEqual([
    ...['boot', 'lease', 'dns', 'ignition', 'kubelet', 'certificate', 'registered', 'ready'],
  ]);
});
