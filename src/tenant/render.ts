import { renderGateway } from '../gateway/render.ts';
import type { Rendered } from '../gateway/rendered.ts';
import type { TenantPlan } from '../gateway/tenant-plan.ts';
import type { WorkloadOptions } from '../gateway/workloads.ts';
import type { Observed } from '../hosted-cluster/observed.ts';

export interface TenantRenderOptions
  extends Pick<WorkloadOptions, 'platform' | 'priorityClassName' | 'imagePullSecrets' | 'storageClassName'> {
  readonly image?: string | undefined;
  readonly proberImage?: string | undefined;
  readonly operatorNamespace?: string | undefined;
}

/** The image as `deploy/edge/Containerfile` is built and tagged here; hubs with a registry of their own name it by option. */
const EDGE_IMAGE = 'localhost/hcpio-edge:0.1.0';

/** The operator's, which carries the prober. */
const OPERATOR_IMAGE = 'localhost/hcpio-operator:0.1.0';
/** Where `deploy/` puts the operator. */
const OPERATOR_NAMESPACE = 'hcpio-system';

/** From what must be true to the objects and files that make it so. Call it for plans without error findings only: what was refused is not in the plan. */
export function renderTenant(plan: TenantPlan, observed: Observed, options: TenantRenderOptions): Rendered {
  const { hostedCluster } = observed;
  return renderGateway(plan, {
    ...options,
    image: options.image ?? EDGE_IMAGE,
    proberImage: options.proberImage ?? OPERATOR_IMAGE,
    operatorNamespace: options.operatorNamespace ?? OPERATOR_NAMESPACE,
    authorities: observed.authorities,
    nads: observed.attachments,
    services: observed.services,
    apiServerPort: hostedCluster?.spec.networking.apiServer?.port,
    nodeSelector: hostedCluster?.spec.nodeSelector,
    tolerations: hostedCluster?.spec.tolerations,
  });
}
