import type { Nad } from '../hosted-cluster/objects.ts';
import { deriveAttachments } from './attachments.ts';
import { configMaps } from './config-maps.ts';
import { dnsFiles } from './coredns.ts';
import { gatewayFiles } from './envoy.ts';
import { guardFiles } from './guard.ts';
import { keaFiles } from './kea.ts';
import { vipFiles } from './keepalived.ts';
import { namespace, serviceAccount } from './namespace.ts';
import { controlPlanePolicies, edgePolicies } from './policies.ts';
import type { EdgeFiles, Rendered } from './rendered.ts';
import { sccRole, sccRoleBinding, securityContextConstraints } from './scc.ts';
import { peerServices } from './services.ts';
import type { EdgePlan, TenantPlan } from './tenant-plan.ts';
import type { ControlPlaneFacts } from './upstream-pods.ts';
import { disruptionBudget, edgeWorkload, type WorkloadOptions } from './workloads.ts';

export interface RenderOptions extends WorkloadOptions, ControlPlaneFacts {
  /** Every NetworkAttachmentDefinition that is known; the VMs' must be among them, or a `Refusal` says so. */
  readonly nads: readonly Nad[];
}

/**
 * Everything of one tenant on the hub, in the order in which it can be applied: a pod must find its attachment, its policies and, among
 * its environment, its peer's Service.
 */
export function renderGateway(plan: TenantPlan, options: RenderOptions): Rendered {
  const attachments = deriveAttachments(plan, options.nads);
  const edges = plan.edges.map((edge) => ({ edge, files: edgeFiles(plan, edge) }));
  return {
    manifests: [
      namespace(plan),
      serviceAccount(plan),
      ...(options.platform === 'openshift' ? [securityContextConstraints, sccRole, sccRoleBinding(plan)] : []),
      ...edgePolicies(plan, options),
      ...controlPlanePolicies(plan, options),
      ...attachments.nads,
      ...peerServices(plan),
      ...edges.flatMap(({ files }) => configMaps(plan, files)),
      ...disruptionBudget(plan),
      ...edges.map(({ edge, files }) => edgeWorkload(plan, edge, files, attachments.resource, options)),
    ],
    files: edges.map(({ files }) => files),
  };
}

const edgeFiles = (plan: TenantPlan, edge: EdgePlan): EdgeFiles => ({
  edge: edge.name,
  files: [
    ...guardFiles(plan, edge),
    ...(plan.dhcp.serve === 'Nobody' ? [] : keaFiles(plan, edge)),
    ...dnsFiles(plan, edge),
    ...gatewayFiles(plan, edge),
    ...vipFiles(plan, edge),
  ],
});
