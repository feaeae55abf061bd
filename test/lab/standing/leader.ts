import { expect, test } from 'vitest';
import { signalTo } from '../testing/container.ts';
import { eventually } from '../testing/pods.ts';
import { json, lab } from './lab.ts';

const NAMESPACE = 'hcpio-system';

interface Pod {
  readonly status: {
    readonly containerStatuses: readonly {
      readonly restartCount: number;
      readonly lastState: { readonly terminated?: { readonly exitCode: number } };
    }[];
  };
}

/** The process that leads, by the name of its pod and a part of its own; empty while nobody does. */
const leader = async () =>
  (await json<{ spec: { holderIdentity?: string } }>(lab, 'get', 'lease', 'hcpio-operator', `--namespace=${NAMESPACE}`)).spec
    .holderIdentity ?? '';

test('the leader that is told to stop ends by itself, and another process leads on', async () => {
  const before = await eventually(leader, (identity) => identity !== '');
  const [pod = ''] = before.split('_');
  const container = async () => (await json<Pod>(lab, 'get', 'pod', pod, `--namespace=${NAMESPACE}`)).status.containerStatuses[0];
  const restarts = (await container())?.restartCount ?? 0;
  const tell = await signalTo(lab, NAMESPACE, pod, 'operator');
  await tell('SIGTERM');
  const after = await eventually(container, (now) => now !== undefined && now.restartCount > restarts);
  expect(after?.lastState.terminated?.exitCode).toBe(0);
  await eventually(leader, (identity) => identity !== '' && identity !== before);
});
