/** What a person does with the operator of the lab, and what it says. */
import type { Lab } from '../../../src/lab/contract.ts';
import { CLUSTERS } from '../../../src/lab/player/scenario.ts';
import { eventually } from './pods.ts';

/** As an upgrade of the operator does: it comes with another image for the edges. */
export async function setEdgeImage(lab: Lab, image: string): Promise<void> {
  const deployment = ['deployment/hcpio-operator', '--namespace=hcpio-system'];
  await lab.kubectl(['set', 'env', ...deployment, `HCPIO_EDGE_IMAGE=${image}`]);
  await lab.kubectl(['rollout', 'status', ...deployment, '--timeout=120s']);
}

export interface TenantNetwork {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: {
    readonly vip?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string; readonly message: string }[];
    readonly findings?: readonly { readonly code: string; readonly severity: string; readonly message: string }[];
    readonly machines?: readonly { readonly mac: string; readonly machine: string; readonly addresses: readonly string[] }[];
  };
}

export const tenantNetwork = async (lab: Lab, name: string): Promise<TenantNetwork> =>
  JSON.parse(await lab.kubectl(['get', 'tenantnetwork', name, `--namespace=${CLUSTERS}`, '--output=json'])) as TenantNetwork;

export const change = (lab: Lab, name: string, spec: object): Promise<string> =>
  lab.kubectl(['patch', 'tenantnetwork', name, `--namespace=${CLUSTERS}`, '--type=merge', `--patch=${JSON.stringify({ spec })}`]);

/** What a condition says, as `Status Reason: message`. */
export async function conditionOf(lab: Lab, name: string, type: string): Promise<string> {
  const found = (await tenantNetwork(lab, name)).status?.conditions?.find((condition) => condition.type === type);
  return found === undefined ? 'nothing' : `${found.status} ${found.reason}: ${found.message}`;
}

/** Waits until it says what is expected. */
export const says = (lab: Lab, name: string, type: string, expected: RegExp): Promise<string> =>
  eventually(
    () => conditionOf(lab, name, type),
    (text) => expected.test(text),
    180_000,
  );
