import type { Authorities } from '../hosted-cluster/authorities.ts';
import type { Nad } from '../hosted-cluster/objects.ts';
import { deriveAttachments } from './attachments.ts';
import { configMaps } from './config-maps.ts';
import { dnsFiles } from './coredns.ts';
import { gatewayFiles } from './envoy.ts';
import { guardFiles } from './guard.ts';
import { keaFiles } from './kea.ts';
import { vipFiles } from './keepalived.ts';
import { namespace, serviceAccount } from './namespace.ts';
import { controlPlanePolicies, edgePolicies, operatorPolicies } from './policies.ts';
import { type ProberOptions, proberWorkload } from './prober.ts';
import { proberGuardFiles } from './prober-guard.ts';
import { probeFiles } from './probes.ts';
import type { EdgeFiles, Rendered } from './rendered.ts';
import { sccRole, sccRoleBinding, securityContextConstraints } from './scc.ts';
import { peerServices } from './services.ts';
import type { EdgePlan, ProberPlan, TenantPlan } from './tenant-plan.ts';
import type { ControlPlaneFacts } from './upstream-pods.ts';
import { disruptionBudget, edgeWorkload } from './workloads.ts';

export interface RenderOptions extends ProberOptions, ControlPlaneFacts {
  /** Every NetworkAttachmentDefinition that is known; the VMs' must be among them, or a `Refusal` says so. */
  readonly nads: readonly Nad[];
  /** Where the operator runs: only it may ask the prober. */
  readonly operatorNamespace: string;
  readonly authorities: Authorities;
}

/**
 * Everything of one tenant on the hub, in the order in which it can be applied: a pod must find its attachment, its policies and, among
 * its environment, its peer's Service.
 */
export function renderGateway(plan: TenantPlan, options: RenderOptions): Rendered {
  const attachments = deriveAttachments(plan, options.nads);
  const edges = plan.edges.map((edge) => ({ edge, files: edgeFiles(plan, edge) }));
  const probers = plan.prober === undefined ? [] : [{ prober: plan.prober, files: proberFiles(plan, plan.prober, options.authorities) }];
  return {
    manifests: [
      namespace(plan),
      serviceAccount(plan),
      ...(options.platform === 'openshift' ? [securityContextConstraints, sccRole, sccRoleBinding(plan)] : []),
      ...edgePolicies(plan, options),
      ...operatorPolicies(plan, options.operatorNamespace),
      ...controlPlanePolicies(plan, options),
      ...attachments.nads,
      ...peerServices(plan),
      ...[...edges, ...probers].flatMap(({ files }) => configMaps(plan, files)),
      ...disruptionBudget(plan),
      ...edges.map(({ edge, files }) => edgeWorkload(plan, edge, files, attachments.resource, options)),
      ...probers.map(({ prober, files }) => proberWorkload(plan, prober, files, attachments.resource, options)),
    ],
    files: [...edges, ...probers].map(({ files }) => files),
  };
}

const proberFiles = (plan: TenantPlan, prober: ProberPlan, authorities: Authorities): EdgeFiles => ({
  edge: prober.name,
  files: [...proberGuardFiles(prober), ...probeFiles(plan, authorities)],
});

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
