/** What `hcpio lab` tells people. */
import type { LabOptions, WorkerReport } from '../lab/contract.ts';
import type { LabStatus } from '../lab/status.ts';
import { columns, plural } from './layout.ts';
import type { Theme } from './terminal.ts';

export function standingText(status: LabStatus, seconds: number, options: LabOptions, theme: Theme): string {
  const flag = options.name === 'lab' ? '' : ` --name ${options.name}`;
  const [node] = status.nodes;
  return lines([
    '',
    theme.strong(`lab ${status.name} stands after ${seconds.toFixed(1)} s: the control plane and ${plural(status.nodes.length, 'node')}`),
    ...status.guests.map((line) => `  ${line}`),
    '',
    ...columns([
      [`hcpio lab status${flag}`, 'what stands, what is played, which processes'],
      [`hcpio lab shell hub-cp${flag}`, 'a shell where the hub API is reachable; kubectl is set up'],
      ...(node ? [[`hcpio lab exec ${node.node.name}${flag} -- ip -br addr`, 'a command on a node']] : []),
      [`hcpio lab logs kube-apiserver${flag}`, 'the log of a part'],
      [`hcpio lab down${flag}`, 'take everything away'],
    ]),
  ]);
}

export function statusText(status: LabStatus, theme: Theme): string {
  const memory = status.parts.reduce((sum, part) => sum + part.residentMb, 0);
  return lines([
    theme.strong(`lab ${status.name}${status.phase === 'standing' ? '' : ` (${status.phase}, not complete)`}`),
    ...columns([
      ['hub API', `${status.api.url}, answers ${status.api.answers}`],
      ['since', status.startedAt],
      ['files', status.dir],
      ['logs', status.logs],
      ['cgroups', status.cgroups],
      ['policies', policies(status)],
    ]),
    ...section(
      'nodes',
      status.nodes.map(({ node, ready, pods }) => [node.name, node.address, ready, plural(pods, 'pod')]),
      theme,
    ),
    ...section(
      'segments',
      status.segments.map(({ name, bridge, cidr, router }) => [name, bridge, cidr, `router ${router.address}`]),
      theme,
    ),
    ...status.guests,
    ...section(
      `processes (${memory} MB resident, pods not counted)`,
      status.parts.map(({ part, pid, alive, residentMb }) => [
        part,
        String(pid),
        alive ? `${residentMb} MB` : { text: 'has ended', paint: theme.bad },
      ]),
      theme,
    ),
    ...section(
      'played, not real',
      status.standIns.map(({ name, says }) => [name, says]),
      theme,
    ),
  ]);
}

function policies({ policiesEnforced }: LabStatus): string {
  if (policiesEnforced === undefined) return 'there are no nodes';
  return policiesEnforced ? 'NetworkPolicy is enforced by kube-router on every node' : 'NetworkPolicy is not enforced here';
}

type Row = Parameters<typeof columns>[0][number];

function section(title: string, rows: readonly Row[], theme: Theme): readonly string[] {
  return rows.length === 0 ? [] : ['', theme.strong(title), ...columns(rows)];
}

export function workersText(workers: readonly WorkerReport[], theme: Theme): string {
  if (workers.length === 0) return 'no workers\n';
  const rows = workers.map(({ name, kind, steps, problem }): Row => {
    const reached = steps.map(({ step, seconds }) => `${step} ${seconds.toFixed(1)} s`).join(', ');
    return [name, kind, reached || 'nothing yet', ...(problem ? [{ text: problem, paint: theme.bad }] : [])];
  });
  return lines(columns(rows, 0));
}

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`;
