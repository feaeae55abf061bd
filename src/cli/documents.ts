import { type Document, isAlias, isMap, isNode, isPair, isScalar, isSeq, LineCounter, type Node, type Pair, parseAllDocuments } from 'yaml';
import { type FieldPath, parsePath } from '../api/field-path.ts';
import { isRecord } from '../api/field-problem.ts';
import type { Source } from './sources.ts';

/** A value with its place in a file. */
export interface Placed {
  readonly file: string;
  readonly line: number;
  readonly value: unknown;
  /** The line of a field, or of the nearest field above it that is written down. */
  readonly lineOf: (path: FieldPath) => number;
}

interface ParseError {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

export interface Parsed {
  readonly documents: readonly Placed[];
  readonly errors: readonly ParseError[];
}

const TOO_DEEP = 'it is nested too deeply';

/** YAML or JSON, several documents in one text, lists opened; every value keeps its lines. Never throws on content. */
export function parseSource(source: Source): Parsed {
  const { file } = source;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(source.text);
  } catch {
    return { documents: [], errors: [{ file, line: 1, message: 'the file is not UTF-8 text' }] };
  }
  try {
    return parseText(file, text);
  } catch (error) {
    // The parser recurses; only absurd nesting gets here.
    if (error instanceof RangeError) return { documents: [], errors: [{ file, line: 1, message: TOO_DEEP }] };
    throw error;
  }
}

function parseText(file: string, text: string): Parsed {
  const lineCounter = new LineCounter();
  const lineAt = (offset: number): number => Math.max(1, lineCounter.linePos(offset).line);
  const documents: Placed[] = [];
  const errors: ParseError[] = [];
  // Merge keys are YAML 1.1, but kubectl takes them, and so do the people who write them.
  for (const document of parseAllDocuments(text, { lineCounter, merge: true, prettyErrors: false })) {
    // The first flaw is the cause; most of the others only follow from it.
    const [flaw] = [...document.errors, ...document.warnings];
    if (flaw) errors.push({ file, line: lineAt(flaw.pos[0]), message: flaw.message.includes('call stack') ? TOO_DEEP : flaw.message });
    if (flaw || document.contents === null) continue;
    const root = document.contents as Node;
    const line = lineAt(root.range?.[0] ?? 0);
    let value: unknown;
    try {
      value = document.toJS({ maxAliasCount: 100 });
    } catch (error) {
      if (!(error instanceof ReferenceError)) throw error;
      errors.push({ file, line, message: error.message });
      continue;
    }
    if (value === null) continue;
    documents.push(...openLists({ file, line, value, lineOf: (path) => lineAt(offsetOf(document, root, path) ?? root.range?.[0] ?? 0) }));
  }
  return { documents, errors };
}

/** The items of `kind: List` and of typed lists, whose items may leave out what the list says for all of them. */
function openLists(document: Placed): Placed[] {
  const { value } = document;
  if (!isRecord(value) || typeof value['kind'] !== 'string' || !value['kind'].endsWith('List') || !Array.isArray(value['items']))
    return [document];
  const kind = value['kind'].slice(0, -'List'.length);
  const inherited = kind === '' ? {} : { apiVersion: value['apiVersion'], kind };
  return value['items'].flatMap((item: unknown, index) =>
    openLists({
      file: document.file,
      line: document.lineOf(['items', index]),
      value: isRecord(item) ? { ...inherited, ...item } : item,
      lineOf: (path) => document.lineOf(['items', index, ...path]),
    }),
  );
}

/** Walks as far down the path as the text goes, and answers where the last step stands. */
function offsetOf(document: Document, root: Node, path: FieldPath): number | undefined {
  let node: unknown = root;
  let offset = root.range?.[0];
  for (const step of path) {
    const found = child(document, node, step);
    if (found === undefined) break;
    offset = found.offset ?? offset;
    node = found.node;
  }
  return offset;
}

function child(
  document: Document,
  parent: unknown,
  step: string | number,
): { readonly node: unknown; readonly offset: number | undefined } | undefined {
  const node = isAlias(parent) ? parent.resolve(document) : parent;
  if (isMap(node)) {
    const pair = node.items.find((item) => keyText(item) === String(step));
    return pair && { node: pair.value, offset: isNode(pair.key) ? pair.key.range?.[0] : undefined };
  }
  if (!isSeq(node)) return undefined;
  const item = typeof step === 'number' ? node.items[step] : node.items.find((candidate) => isNamed(candidate, step));
  return item === undefined ? undefined : { node: item, offset: isNode(item) ? item.range?.[0] : undefined };
}

const keyText = (pair: Pair): string => (isScalar(pair.key) ? String(pair.key.value) : String(pair.key));

/** `spec.services[APIServer]` picks the element that calls itself so, whatever that field is named. */
const isNamed = (item: unknown, name: string): boolean =>
  isMap(item) && item.items.some((pair) => isPair(pair) && isScalar(pair.value) && pair.value.value === name);

export const linesOf = (document: Placed, path: string | undefined): string =>
  `${document.file}:${path === undefined ? document.line : document.lineOf(parsePath(path))}`;
