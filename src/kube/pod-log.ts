/** The log of a container, line by line, each with the time at which kubelet took it down. */
import { NetworkError } from './errors.ts';
import { LineSplitter } from './line-splitter.ts';
import { resourcePath } from './object.ts';
import type { Transport } from './transport.ts';

export interface PodLogOrder {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Go on with what is written from now on, until the container ends. */
  readonly follow?: boolean;
  readonly sinceSeconds?: number;
  /** Only what is newer; the API cuts it to whole seconds. */
  readonly sinceTime?: string;
  readonly tailLines?: number;
}

export interface LogLine {
  /** RFC 3339 with nanoseconds. */
  readonly at: string;
  readonly text: string;
}

const PODS = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
/** containerd cuts lines at 16 KiB, kubelet joins them again; longer than this is no log. */
const LONGEST_LINE = 1024 * 1024;

/** Ends with the log. Throws ApiError, NetworkError, or the signal's reason. */
export async function* podLog(transport: Transport, order: PodLogOrder, signal: AbortSignal): AsyncGenerator<LogLine> {
  const { namespace, pod, ...query } = order;
  const path = resourcePath(PODS, namespace, pod, 'log');
  // The handler streams text: asked for JSON it would still send text, but a refusal comes as a Status to whoever takes anything.
  const stream = await transport.stream({ path, query: { ...query, timestamps: true }, accept: '*/*' }, signal);
  const lines = new LineSplitter(LONGEST_LINE);
  try {
    for await (const chunk of stream) {
      for (const line of lines.push(chunk as Buffer)) yield cut(line);
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new NetworkError(`GET ${path}`, (error as NodeJS.ErrnoException).code ?? 'CUT', true, error);
  }
}

function cut(line: string): LogLine {
  const [at = ''] = line.split(' ', 1);
  return { at, text: line.slice(at.length + 1) };
}
