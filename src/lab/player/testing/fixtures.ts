/** Objects that the real operators wrote (test/fixtures/hypershift), and what must be set aside before they can be compared with ours. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from '../hosted-cluster.ts';

const FIXTURES = join(import.meta.dirname, '../../../../test/fixtures/hypershift');

export const STAGES = ['stage0-ho-only', 'stage1-nothing-played', 'stage2-infrastructure-ready', 'final'] as const;
export type Stage = (typeof STAGES)[number];
export type Variant = 'blue' | 'gray';

export function fixtureText(variant: Variant, stage: Stage, file: string): string {
  return readFileSync(join(FIXTURES, variant, stage === 'final' ? '' : stage, file), 'utf8');
}

export function fixture(variant: Variant, stage: Stage, file: string): readonly Manifest[] {
  return parseAllDocuments(fixtureText(variant, stage, `${file}.yaml`)).flatMap((document) => {
    const value = document.toJS() as Manifest | null;
    return value === null ? [] : [value];
  });
}

/** Given by the API server or by a clock. */
const SERVER_METADATA = ['creationTimestamp', 'generation', 'resourceVersion', 'uid'];
/** A hash over HyperShift's own rendering, which nobody but HyperShift reads. */
const DESIRED_STATE_HASH = 'hypershift.openshift.io/desired-state-hash';

/** The object as its author wrote it: without what the server added. Maps that are empty then are left out. */
export function asWritten(object: Manifest): Manifest {
  const { status: _, ...rest } = object;
  const metadata = Object.fromEntries(Object.entries(object.metadata).filter(([key]) => !SERVER_METADATA.includes(key)));
  const annotations = Object.fromEntries(Object.entries(object.metadata.annotations ?? {}).filter(([key]) => key !== DESIRED_STATE_HASH));
  const { annotations: __, ...others } = metadata;
  const kept = { ...others, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) } as Manifest['metadata'];
  return { ...rest, metadata: kept, ...(object.kind === 'Service' ? { spec: serviceSpec(object) } : {}) } as Manifest;
}

interface ServiceSpec {
  readonly clusterIP?: string;
  readonly ipFamilyPolicy?: string;
  readonly ports: readonly { readonly nodePort?: number }[];
  readonly [field: string]: unknown;
}

const SERVICE_DEFAULTS = [
  'allocateLoadBalancerNodePorts',
  'clusterIPs',
  'externalTrafficPolicy',
  'internalTrafficPolicy',
  'ipFamilies',
  'sessionAffinity',
];

function serviceSpec(object: Manifest): unknown {
  const { clusterIP, ipFamilyPolicy, ports, ...spec } = object['spec'] as ServiceSpec;
  return {
    ...Object.fromEntries(Object.entries(spec).filter(([key]) => !SERVICE_DEFAULTS.includes(key))),
    ports: ports.map((port) => ({ ...port, nodePort: undefined })),
    ...(clusterIP === 'None' ? { clusterIP } : {}),
    ...(ipFamilyPolicy === 'PreferDualStack' ? { ipFamilyPolicy } : {}),
  };
}

export function byName(objects: readonly Manifest[]): Readonly<Record<string, Manifest>> {
  const sorted = objects.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  return Object.fromEntries(sorted.map((object) => [object.metadata.name, asWritten(object)]));
}
