/** From a request to an answer, without a socket: which webhook a path means, and what HTTP says when none of it fits. */
import { toError } from '../../kube/errors.ts';
import type { Logger } from '../../kube/telemetry.ts';
import { type AdmissionRequest, answer, type Decide, type Decision, NotAReview } from './admission-review.ts';
import { PATHS } from './configurations.ts';
import { defaultTenantNetwork } from './default-tenant-network.ts';
import type { HubKnowledge } from './hub-knowledge.ts';
import { pauseNodePool } from './pause-node-pool.ts';
import { validateTenantNetwork } from './validate-tenant-network.ts';

export interface Reply {
  readonly status: number;
  readonly body: string;
}

export type Route = (method: string, path: string, body: string) => Reply;

export function routes(hub: HubKnowledge, log: Logger): Route {
  const webhooks: ReadonlyMap<string, Decide> = new Map([
    [PATHS.validate, (request: AdmissionRequest) => validateTenantNetwork(request, hub)],
    [PATHS.default, defaultTenantNetwork],
    [PATHS.pause, (request: AdmissionRequest) => pauseNodePool(request, hub)],
  ]);
  return (method, path, body) => {
    const decide = webhooks.get(path);
    if (decide === undefined) return plain(404, `there is no webhook at ${path}`);
    if (method !== 'POST') return plain(405, 'an AdmissionReview is posted');
    try {
      return { status: 200, body: JSON.stringify(answer(body, logged(decide, path, log))) };
    } catch (error) {
      if (error instanceof NotAReview) return plain(400, error.message);
      // The API server then does as failurePolicy says, and counts it.
      log.error({ err: toError(error), webhook: path }, 'the webhook failed');
      return plain(500, 'the webhook failed; its log says why');
    }
  };
}

const plain = (status: number, body: string): Reply => ({ status, body });

/** Refusals and changes are told: a person may ask later why an object is not there, or why it is paused. */
const logged =
  (decide: Decide, webhook: string, log: Logger): Decide =>
  (request): Decision => {
    const decision = decide(request);
    const { operation, namespace, name } = request;
    const about = { webhook, operation, object: `${namespace}/${name}` };
    if (decision.refusal !== undefined) log.info({ ...about, refusal: decision.refusal }, 'refused');
    else if (webhook === PATHS.pause && decision.patch !== undefined) log.info(about, 'a new NodePool is held');
    return decision;
  };
