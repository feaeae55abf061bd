import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import { readTenantNetwork } from '../api/defaults.ts';
import { formatPath } from '../api/field-path.ts';
import { type FieldProblem, fieldProblems, isRecord, isUnsafeText, quote, unsafeText } from '../api/field-problem.ts';
import { describeRef, type Finding, finding, type ObjectRef } from '../api/finding.ts';
import type { FindingCode } from '../api/finding-catalogue.ts';
import { SHORTHAND_ANNOTATION } from '../api/shorthand.ts';
import { GROUP, type TenantNetwork } from '../api/tenant-network.ts';
import { earlierOf } from '../hosted-cluster/earlier.ts';
import { projections } from '../hosted-cluster/objects.ts';
import type { Earlier } from '../hosted-cluster/observed.ts';
import type { ProjectedObject } from '../hosted-cluster/select.ts';
import { linesOf, type Placed, parseSource } from './documents.ts';
import { lookalike } from './lookalike.ts';
import type { Source } from './sources.ts';

/** A finding and the line that it is about, as `file:line`, where one is known. */
export interface PlacedFinding extends Finding {
  readonly at?: string;
}

type InputObject = ProjectedObject | TenantNetwork;

/** Everything that was read from files. */
export interface Input {
  /** Objects of the kinds that play a part, checked and cut down to the fields that are read. */
  readonly objects: readonly InputObject[];
  readonly findings: readonly PlacedFinding[];
  /** What the status of a TenantNetwork (by `namespace/name`) says of machines and addresses, so that a plan leaves them where they are. */
  readonly earlier: ReadonlyMap<string, Earlier>;
  /** Where a finding's object and path stand in the files. */
  readonly locate: (object: string, path?: string) => string | undefined;
}

/** From texts to objects. What cannot be used is told with its line; nothing that is wrong is passed on. */
export function load(sources: readonly Source[]): Input {
  const parsed = sources.map(parseSource);
  const findings: PlacedFinding[] = parsed.flatMap(({ errors }) =>
    errors.map((error) =>
      at(`${error.file}:${error.line}`, 'HCPIO-IN-001', {
        object: fileRef(error.file),
        message: `this is not readable: ${error.message}`,
        fix: 'correct the YAML or JSON',
      }),
    ),
  );
  const objects: InputObject[] = [];
  const earlier = new Map<string, Earlier>();
  const byName = new Map<string, Placed>();
  for (const document of parsed.flatMap(({ documents }) => documents)) {
    const read = readDocument(document);
    const twin = read.ref && byName.get(describeRef(read.ref));
    // Dumps overlap (`get services -A` and one of them again); what is the same to the letter leaves no question open.
    if (twin && isDeepStrictEqual(document.value, twin.value)) continue;
    if (read.ref && twin) findings.push(givenTwice(document, twin, read.ref));
    else if (read.ref) byName.set(describeRef(read.ref), document);
    findings.push(...read.findings);
    if (read.object === undefined || twin) continue;
    objects.push(read.object);
    if (read.object.kind === 'TenantNetwork')
      earlier.set(keyOf(read.object), earlierOf(isRecord(document.value) ? document.value['status'] : undefined));
  }
  if (!findings.some((f) => f.severity === 'error') && !objects.some(isTenant)) findings.push(noTenant(sources));
  return { objects, findings, earlier, locate: (object, path) => locate(byName, object, path) };
}

interface Read {
  /** Absent when the document is no object, or of a kind that plays no part. */
  readonly ref?: ObjectRef;
  readonly object?: InputObject;
  readonly findings: readonly PlacedFinding[];
}

const keyOf = ({ metadata }: TenantNetwork): string => `${metadata.namespace}/${metadata.name}`;

function readDocument(document: Placed): Read {
  const { value } = document;
  if (!isRecord(value))
    return { findings: [notAnObject(document, `a ${Array.isArray(value) ? 'list' : typeof value} stands where an object is expected`)] };
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string')
    return { findings: [notAnObject(document, 'apiVersion or kind is missing')] };
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  const projection = (projections as Readonly<Record<string, z.ZodType<InputObject>>>)[`${group}/${kind}`];
  if (projection === undefined && !(group === GROUP && kind === 'TenantNetwork'))
    return { findings: passedOver(document, apiVersion, kind) };
  if (!isRecord(metadata) || typeof metadata['name'] !== 'string')
    return { findings: [notAnObject(document, `this ${kind} has no metadata.name`)] };
  const ref = { kind, name: metadata['name'], namespace: typeof metadata['namespace'] === 'string' ? metadata['namespace'] : undefined };
  const { object, problems } = projection ? project(projection, value) : tenant(value);
  return { ref, ...(object ? { object } : {}), findings: problems.map((problem) => problemFinding(document, ref, problem)) };
}

const tenant = (value: unknown) => {
  const { value: object, problems } = readTenantNetwork(value);
  return { object, problems };
};

function project(
  projection: z.ZodType<InputObject>,
  value: unknown,
): { readonly object: InputObject | undefined; readonly problems: readonly FieldProblem[] } {
  const parsed = projection.safeParse(value);
  if (!parsed.success) return { object: undefined, problems: fieldProblems(parsed.error.issues, value) };
  const problems = unsafeTexts(parsed.data);
  return { object: problems.length === 0 ? parsed.data : undefined, problems };
}

/** Fields for people or for other programs; everything else that we read is a name, an address or a word. */
const FREE_TEXT = new Set(['annotations', 'message', 'config', 'noProxy', 'httpProxy', 'httpsProxy']);

function unsafeTexts(value: unknown, path: readonly (string | number)[] = []): FieldProblem[] {
  if (typeof value === 'string') return isUnsafeText(value) ? [unsafeText(path, value)] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => unsafeTexts(item, [...path, index]));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => (FREE_TEXT.has(name) ? [] : unsafeTexts(child, [...path, name])));
}

const CODES: Readonly<Record<FieldProblem['kind'], FindingCode>> = { unknown: 'HCPIO-IN-003', value: 'HCPIO-IN-004', text: 'HCPIO-IN-008' };

const problemFinding = (document: Placed, object: ObjectRef, problem: FieldProblem): PlacedFinding => {
  const path = formatPath(problem.path);
  return at(linesOf(document, path), CODES[problem.kind], { object, path, message: problem.message, fix: problem.fix });
};

const at = (place: string, code: FindingCode, text: Parameters<typeof finding>[1]): PlacedFinding => ({
  ...finding(code, text),
  at: place,
});

const fileRef = (file: string): ObjectRef => ({ kind: 'file', name: file });

const notAnObject = (document: Placed, what: string): PlacedFinding =>
  at(linesOf(document, undefined), 'HCPIO-IN-002', {
    object: fileRef(document.file),
    message: `this is not a Kubernetes object: ${what}`,
    fix: 'give it apiVersion, kind and metadata.name, or take it out of the input',
  });

function passedOver(document: Placed, apiVersion: string, kind: string): PlacedFinding[] {
  const meant = lookalike(apiVersion, kind);
  if (meant === undefined) return [];
  return [
    at(linesOf(document, 'kind'), 'HCPIO-IN-007', {
      object: fileRef(document.file),
      message: `${quote(kind)} of ${quote(apiVersion)} was passed over; did you mean ${meant}?`,
      fix: `write ${meant}, or take the object out of the input`,
    }),
  ];
}

function givenTwice(document: Placed, twin: Placed, object: ObjectRef): PlacedFinding {
  return at(linesOf(document, undefined), 'HCPIO-IN-005', {
    object,
    message: `${describeRef(object)} is given twice, and not the same: the other is at ${linesOf(twin, undefined)}`,
    fix: 'keep one of the two',
  });
}

const isTenant = (object: InputObject): boolean =>
  object.kind === 'TenantNetwork' || (object.kind === 'HostedCluster' && object.metadata.annotations[SHORTHAND_ANNOTATION] !== undefined);

const noTenant = (sources: readonly Source[]): PlacedFinding =>
  finding('HCPIO-IN-006', {
    object: { kind: 'input', name: sources.length === 1 ? (sources[0]?.file ?? '') : `${sources.length} files` },
    message: `there is no TenantNetwork in the input, and no HostedCluster with the annotation ${SHORTHAND_ANNOTATION}`,
    fix: `add a TenantNetwork (hcpio explain TenantNetwork.spec), or annotate the HostedCluster with ${SHORTHAND_ANNOTATION}: NAMESPACE/NAME`,
  });

function locate(byName: ReadonlyMap<string, Placed>, object: string, path?: string): string | undefined {
  const document = byName.get(object);
  if (document) return linesOf(document, path);
  // A TenantNetwork that only the annotation stands for.
  const cluster = object.endsWith(' TenantNetwork') ? byName.get(object.replace(/ TenantNetwork$/, ' HostedCluster')) : undefined;
  return cluster && linesOf(cluster, `metadata.annotations["${SHORTHAND_ANNOTATION}"]`);
}
