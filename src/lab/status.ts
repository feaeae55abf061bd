/** What stands, as data: gathered once, shown by the CLI as text or JSON. */
import { readdir, readFile } from 'node:fs/promises';
import { attachments } from './attachments.ts';
import type { LabNode, Segment, StandIn } from './contract.ts';
import { policyPart } from './node/start.ts';
import type { RunningLab } from './running-lab.ts';
import { type Phase, phaseOf } from './state/claim.ts';

export interface PartStatus {
  readonly part: string;
  readonly pid: number;
  readonly alive: boolean;
  readonly residentMb: number;
  readonly log: string;
}

export interface NodeStatus {
  readonly node: LabNode;
  readonly ready: string;
  readonly pods: number;
}

export interface LabStatus {
  readonly name: string;
  readonly phase: Phase['phase'];
  readonly startedAt: string;
  readonly dir: string;
  readonly logs: string;
  readonly cgroups: string;
  readonly api: { readonly url: string; readonly answers: string };
  readonly nodes: readonly NodeStatus[];
  readonly segments: readonly Segment[];
  readonly parts: readonly PartStatus[];
  /** True while every node runs its enforcer. Undefined without nodes. */
  readonly policiesEnforced: boolean | undefined;
  readonly standIns: readonly StandIn[];
  readonly guests: readonly string[];
}

export async function statusOf(lab: RunningLab): Promise<LabStatus> {
  const parts = await Promise.all((await lab.recordedParts()).map((part) => partStatus(lab, part)));
  const guests = await Promise.all(attachments.filter((guest) => guest.wanted(lab.options)).map(async (guest) => guest.describe?.(lab)));
  const alive = new Set(parts.filter((part) => part.alive).map((part) => part.part));
  return {
    name: lab.name,
    phase: (await phaseOf(lab.name)).phase,
    startedAt: lab.startedAt,
    dir: lab.dir,
    logs: lab.logs,
    cgroups: lab.cgroups.version,
    api: { url: lab.hub.apiUrl, answers: await firstLine(lab.kubectl(['get', '--raw', '/readyz'])) },
    nodes: await nodeStatus(lab),
    segments: lab.segments,
    parts,
    policiesEnforced: lab.nodes.length === 0 ? undefined : lab.nodes.every((node) => alive.has(policyPart(node))),
    standIns: await lab.standIns(),
    guests: guests.flatMap((lines) => lines ?? []),
  };
}

async function partStatus(lab: RunningLab, { part, pid, log }: { part: string; pid: number; log: string }): Promise<PartStatus> {
  const alive = (await lab.find(part)) !== undefined;
  return { part, pid, alive, residentMb: alive ? await residentMb(pid) : 0, log };
}

/** Of that process alone: what it started is counted where it belongs, in pods. */
async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
}

interface Seen {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec?: { readonly nodeName?: string };
    readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[] };
  }[];
}

async function nodeStatus(lab: RunningLab): Promise<readonly NodeStatus[]> {
  if (lab.nodes.length === 0) return [];
  const list = async (...what: string[]) =>
    (JSON.parse(await lab.kubectl(['get', ...what, '-o', 'json']).catch(() => '{"items":[]}')) as Seen).items;
  const [nodes, pods] = await Promise.all([list('nodes'), list('pods', '-A')]);
  return lab.nodes.map((node) => {
    const conditions = nodes.find((seen) => seen.metadata.name === node.name)?.status?.conditions;
    const ready = conditions?.find((condition) => condition.type === 'Ready');
    return {
      node,
      ready: ready?.status === 'True' ? 'Ready' : (ready?.message ?? 'unknown'),
      pods: pods.filter((pod) => pod.spec?.nodeName === node.name).length,
    };
  });
}

async function firstLine(text: Promise<string>): Promise<string> {
  return text.then(
    (said) => said.trim().split('\n')[0] ?? '',
    (failure: unknown) => (failure instanceof Error ? failure.message : String(failure)).split('\n')[0] ?? '',
  );
}

/** Short names of the lab's namespaces, as `lab exec` and `lab shell` take them. */
export async function namespacesOf(lab: RunningLab): Promise<readonly string[]> {
  const names = await readdir(`${lab.dir}/netns`);
  return names.map((name) => name.slice(lab.name.length + 1)).sort();
}
