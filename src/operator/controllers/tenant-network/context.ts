/** What the phases of a reconciliation may use. Everything that reaches the world outside is in here, and so can be replaced. */
import type { Observed } from '../../../hosted-cluster/observed.ts';
import type { Clock } from '../../../kube/clock.ts';
import type { EventToTell } from '../../../kube/events.ts';
import type { Key } from '../../../kube/object.ts';
import type { TenantRenderOptions } from '../../../tenant/render.ts';
import type { OperatorMetrics } from '../../metrics.ts';
import type { GuardsOf } from '../../segment/guard-reports.ts';
import type { AskProber, ProbeSegment } from '../../segment/segment-probes.ts';
import type { FindStrangers } from '../../strangers.ts';
import type { World } from '../../world/world.ts';
import type { Writer } from '../../writer.ts';
import type { ProbeWords } from './explain.ts';

export interface Context {
  readonly world: World;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly render: TenantRenderOptions;
  readonly probeSegment: ProbeSegment;
  readonly guards: GuardsOf;
  readonly probeWords: ProbeWords;
  /** A look at the segment that begins now, by the prober at that address. */
  readonly lookNow: AskProber;
  /** What was seen last of the router inside a tenant's cluster. */
  readonly guestRouter: (tenant: Key) => Observed['guestRouter'];
  /** The tenant is gone: nobody need look at its segment any more. */
  readonly forgetSegment: (tenant: Key) => void;
  /** Whose a namespace is: the tenant's label, empty when it is nobody's that we know; undefined when there is none of that name. */
  readonly namespaceOwner: (name: string, signal: AbortSignal) => Promise<string | undefined>;
  readonly findStrangers: FindStrangers;
  readonly tell: (event: EventToTell) => void;
  readonly metrics: OperatorMetrics;
  /** How often this tenant has failed since it last did well. */
  readonly failures: number;
}
