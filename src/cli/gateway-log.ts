/** Reads the log of the gateway container of an edge. */
import { sleep } from '../kube/clock.ts';
import { ApiError, isForbidden, NetworkError } from '../kube/errors.ts';
import { type LogLine, type PodLogOrder, podLog } from '../kube/pod-log.ts';
import type { Cluster } from './cluster.ts';
import { Failure } from './failure.ts';

export interface GatewayOf {
  readonly namespace: string;
  readonly edge: string;
}

export interface GatewayLog {
  readonly edge: string;
  readonly lines: readonly LogLine[];
  /** Why there are none. */
  readonly problem?: string;
}

const CONTAINER = 'gateway';
/** An edge that is made anew is away for some seconds. */
const AGAIN_MS = 1000;

const order = ({ namespace, edge }: GatewayOf) => ({ namespace, pod: `${edge}-0`, container: CONTAINER });

/** What is there now. A right that is missing is missing for every edge. */
export async function readGateway(
  { client }: Cluster,
  gateway: GatewayOf,
  part: Pick<PodLogOrder, 'sinceSeconds' | 'tailLines'>,
  signal: AbortSignal,
): Promise<GatewayLog> {
  const { edge } = gateway;
  try {
    const lines: LogLine[] = [];
    for await (const line of podLog(client.transport, { ...order(gateway), ...part }, signal)) lines.push(line);
    return { edge, lines };
  } catch (error) {
    return { edge, lines: [], problem: problemOf(error, gateway) };
  }
}

/** What is written after `after`, also by the next pod of that edge; ends with the signal only. */
export async function* followGateway(
  { client }: Cluster,
  gateway: GatewayOf,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  const { transport } = client;
  let last = after;
  for (;;) {
    try {
      const asked = { ...order(gateway), follow: true, ...(last === undefined ? {} : { sinceTime: last }) };
      for await (const line of podLog(transport, asked, signal)) {
        // The API counts in whole seconds, so the last ones come once more. kubelet writes times of one length.
        if (last !== undefined && line.at <= last) continue;
        last = line.at;
        yield line;
      }
    } catch (error) {
      if (signal.aborted) throw error;
      problemOf(error, gateway);
    }
    await sleep(transport.clock, AGAIN_MS, signal);
  }
}

/** What keeps this one log from being read; throws what would keep any. */
function problemOf(error: unknown, { namespace }: GatewayOf): string {
  if (isForbidden(error))
    throw new Failure(`you may not read the logs of namespace ${namespace}: it takes the right to get pods/log there`);
  if (error instanceof ApiError && error.code !== 401) return error.status.message ?? error.message;
  if (error instanceof NetworkError && error.sent) return error.message;
  throw error;
}
