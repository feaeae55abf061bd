import { isUnsafeText, quote } from './field-problem.ts';
import { finding, Refusal } from './finding.ts';
import { API_VERSION, GROUP, type TenantNetwork, tenantNetwork } from './tenant-network.ts';

/** `hcpio.io/tenant-network: default/vlan100` on a HostedCluster stands for a TenantNetwork of the same name with every default. */
export const SHORTHAND_ANNOTATION = `${GROUP}/tenant-network`;

export interface Annotated {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly annotations: Readonly<Record<string, string>> };
}

/** The TenantNetwork that the annotation stands for, or undefined without one. A value that cannot be an attachment is refused. */
export function fromShorthand(hostedCluster: Annotated): TenantNetwork | undefined {
  const { name, namespace, annotations } = hostedCluster.metadata;
  const attachment = annotations[SHORTHAND_ANNOTATION];
  if (attachment === undefined) return undefined;
  const meant = tenantNetwork.safeParse({
    apiVersion: API_VERSION,
    kind: 'TenantNetwork',
    metadata: { name, namespace },
    spec: { segment: { attachment } },
  });
  if (meant.success && !isUnsafeText(attachment)) return meant.data;
  throw new Refusal(
    finding('HCPIO-ATT-005', {
      object: { kind: 'HostedCluster', namespace, name },
      path: `metadata.annotations["${SHORTHAND_ANNOTATION}"]`,
      message: `the annotation ${SHORTHAND_ANNOTATION} holds ${quote(attachment)}, which is not namespace/name of a NetworkAttachmentDefinition`,
      fix: `kubectl annotate hostedcluster -n ${namespace} ${name} --overwrite ${SHORTHAND_ANNOTATION}=NAMESPACE/NAME`,
    }),
  );
}
