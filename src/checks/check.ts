import { type Finding, type FindingText, finding, type ObjectRef } from '../api/finding.ts';
import type { FindingCode } from '../api/finding-catalogue.ts';
import type { GatewaySettings } from '../api/tenant-network.ts';
import type { ListenerPlan } from '../gateway/listeners.ts';
import type { TenantPlan } from '../gateway/tenant-plan.ts';
import type { Endpoint } from '../hosted-cluster/endpoints.ts';
import type { Observed } from '../hosted-cluster/observed.ts';

/** All that a check may look at: what was read, and what was planned from it. */
export interface CheckInput {
  readonly observed: Observed;
  readonly settings: GatewaySettings;
  readonly plan: Omit<TenantPlan, 'findings'>;
  readonly endpoints: readonly Endpoint[];
  readonly conflicts: ListenerPlan['conflicts'];
  /** Machines that the pool has no address for. */
  readonly machinesLeft: readonly string[];
}

/** Data in, findings out: no I/O, no clock, so that the webhook, the operator, the CLI and the console all say the same. */
export interface Check {
  readonly code: FindingCode;
  readonly run: (input: CheckInput) => readonly Finding[];
}

export const check = (code: FindingCode, look: (input: CheckInput) => readonly FindingText[]): Check => ({
  code,
  run: (input) => look(input).map((text) => finding(code, text)),
});

export const tenantRef = ({ tenantNetwork }: Observed): ObjectRef => ({
  kind: 'TenantNetwork',
  namespace: tenantNetwork.metadata.namespace,
  name: tenantNetwork.metadata.name,
});

export const hostedClusterRef = ({ tenantNetwork }: Observed): ObjectRef => ({
  kind: 'HostedCluster',
  namespace: tenantNetwork.metadata.namespace,
  name: tenantNetwork.spec.hostedCluster ?? tenantNetwork.metadata.name,
});

export const refOf = (object: {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}): ObjectRef => ({
  kind: object.kind,
  namespace: object.metadata.namespace,
  name: object.metadata.name,
});
