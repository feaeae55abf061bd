import { edgeLabels } from './labels.ts';
import type { ConfigFile, Container, EdgeFiles, KubeObject } from './rendered.ts';
import type { TenantPlan } from './tenant-plan.ts';

export const configMapName = (edge: EdgeFiles['edge'], container: Container): string => `${edge}-${container}`;

/** A ConfigMap per container, so that each mounts its own files only and a new record in a zone wakes nobody else. */
export const configMaps = (plan: TenantPlan, { edge, files }: EdgeFiles): readonly KubeObject[] =>
  [...Map.groupBy(files, (file) => file.container)].map(([container, own]) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: configMapName(edge, container), namespace: plan.edgeNamespace, labels: edgeLabels(plan, { name: edge }) },
    data: Object.fromEntries(own.map((file: ConfigFile) => [file.name, file.content])),
  }));
