import { join } from 'node:path';
import { expectGoldenText } from '../../../test/golden.ts';
import type { ConfigFile } from '../rendered.ts';
import type { EdgePlan, TenantPlan } from '../tenant-plan.ts';
import { samplePlans } from './sample-plans.ts';

export interface SampleEdge {
  readonly sample: string;
  readonly plan: TenantPlan;
  readonly edge: EdgePlan;
}

export const sampleEdges: readonly SampleEdge[] = Object.entries(samplePlans).flatMap(([sample, plan]) =>
  plan.edges.map((edge) => ({ sample, plan, edge })),
);

/** Those with golden files: the second edge differs from the first one in the same few places in every plan. */
export const goldenEdges = sampleEdges.filter(({ sample, edge }) => edge.name === 'edge-a' || sample === 'blue');

export function expectGoldenFiles({ sample, edge }: SampleEdge, files: readonly ConfigFile[]): void {
  for (const { container, name, content } of files) {
    expectGoldenText(join(import.meta.dirname, '..', 'testdata', 'daemons', sample, edge.name, container, name), content);
  }
}

export function edgeOf(plan: TenantPlan, name: EdgePlan['name'] = 'edge-a'): EdgePlan {
  const edge = plan.edges.find((candidate) => candidate.name === name);
  if (edge === undefined) throw new Error(`${plan.tenant} has no ${name}`);
  return edge;
}

export function contentOf(files: readonly ConfigFile[], name: string): string {
  const file = files.find((candidate) => candidate.name === name);
  if (file === undefined) throw new Error(`there is no ${name} among ${files.map((candidate) => candidate.name).join(', ')}`);
  return file.content;
}
