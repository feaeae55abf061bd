/** What we want an object to be, with a mark on it by which it can be told later whether it is what we want now. */
import { GROUP } from '../../api/tenant-network.ts';
import type { KubeObject as Manifest } from '../../gateway/rendered.ts';
import { hashOf } from '../../kube/canonical.ts';

/** On everything that we write: the hash of what was written, without this annotation. */
export const INTENT = `${GROUP}/intent`;
/** On the pods of a workload: the hash of the template that they were made from. A pod with another one is outdated. */
export const TEMPLATE = `${GROUP}/template`;

export interface Intent {
  readonly object: Manifest;
  readonly hash: string;
}

export function intentOf(manifest: Manifest): Intent {
  const marked = manifest.kind === 'StatefulSet' ? withTemplateMark(manifest) : manifest;
  const hash = hashOf(marked);
  const { metadata } = marked;
  return { object: { ...marked, metadata: { ...metadata, annotations: { ...metadata.annotations, [INTENT]: hash } } }, hash };
}

interface PodTemplate {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}

const templateOf = (object: Manifest): PodTemplate => (object['spec'] as { readonly template: PodTemplate }).template;

function withTemplateMark(manifest: Manifest): Manifest {
  const template = templateOf(manifest);
  const annotations = { ...template.metadata.annotations, [TEMPLATE]: hashOf(template) };
  return {
    ...manifest,
    spec: { ...(manifest['spec'] as object), template: { ...template, metadata: { ...template.metadata, annotations } } },
  };
}

/** The mark that the pods of this workload will carry. */
export const templateMark = (workload: Manifest): string => templateOf(workload).metadata.annotations?.[TEMPLATE] ?? '';
