/** The operator inside the test: quick to start, and its parts within reach. Processes are for what kills them. */
import { type Clock, systemClock } from '../../src/kube/clock.ts';
import type { Connection } from '../../src/kube/connection.ts';
import { silentLogger } from '../../src/kube/telemetry.ts';
import { Transport } from '../../src/kube/transport.ts';
import { type Meters, meters } from '../../src/operator/metrics.ts';
import { createOperator, type Operator, type OperatorOptions } from '../../src/operator/operator.ts';
import { OPERATOR_USER } from './audit.ts';
import { connectionTo, type Hub } from './hub.ts';

export interface RunningOperator {
  readonly operator: Operator;
  readonly meters: Meters;
  stop(): Promise<void>;
}

export type OperatorChange = Partial<
  Pick<OperatorOptions, 'askProber' | 'askProberToLook' | 'probeSegment' | 'edge' | 'dryRun' | 'lease' | 'log' | 'clock'>
> & {
  readonly server?: string;
  /** Of requests, watches and events; the operator's own unless it is given. */
  readonly transportClock?: Clock;
};

export async function startOperator(hub: Hub, change: OperatorChange = {}): Promise<RunningOperator> {
  const { server, transportClock, ...options } = change;
  const clock = transportClock ?? options.clock ?? systemClock;
  const stop = new AbortController();
  const meter = meters();
  const connection = asOperator(await connectionTo(hub.controlPlane.kubeconfigPath, server));
  const transport = new Transport({ connection, userAgent: 'hcpio-operator', metrics: meter, clock });
  const log = { ...silentLogger, child: () => silentLogger };
  const given = {
    transport,
    clock: systemClock,
    random: Math.random,
    instance: 'test',
    platform: undefined,
    edge: {},
    lease: undefined,
    dryRun: false,
    workers: 4,
    meters: meter,
    log,
  };
  const operator = await createOperator({ ...given, ...options }, stop.signal);
  const running = operator.run([], stop.signal);
  return {
    operator,
    meters: meter,
    async stop() {
      stop.abort();
      await running;
      transport.close();
    },
  };
}

const asOperator = (connection: Connection): Connection => ({
  ...connection,
  async credentials(signal) {
    const { headers, tls } = await connection.credentials(signal);
    return { headers: { ...headers, 'impersonate-user': OPERATOR_USER, 'impersonate-group': 'system:masters' }, tls };
  },
});
