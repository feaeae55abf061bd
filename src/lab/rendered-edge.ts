/** hcpio's part without the operator, for benchmarks of the lab: what `hcpio render` makes of the hub as it is now, applied with kubectl. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lab } from './contract.ts';
import { EDGE_IMAGE } from './images/edge.ts';
import { OPERATOR_IMAGE } from './images/operator.ts';
import { CLUSTERS } from './player/scenario.ts';

const HCPIO = join(import.meta.dirname, '..', '..', 'bin', 'hcpio');
const READ = [
  'hostedclusters',
  'nodepools',
  'hostedcontrolplanes',
  'services',
  'routes.route.openshift.io',
  'endpointslices',
  'network-attachment-definitions',
  'virtualmachineinstances',
  'nodes',
  'networks.config.openshift.io',
  'ingresses.config.openshift.io',
  'dnses.config.openshift.io',
];

export interface Tenant {
  readonly cluster: string;
  readonly segment: string;
  readonly cidr: string;
}

/** The hub's objects and the tenants' TenantNetworks in one directory, as a user would save them; returns it. */
async function saveHub(lab: Lab, tenants: readonly Tenant[], signal?: AbortSignal): Promise<string> {
  const dir = join(lab.dir, 'hub-objects');
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  const text = await lab.kubectl(['get', READ.join(','), '--all-namespaces', '--output=json'], signal === undefined ? {} : { signal });
  const list = JSON.parse(text) as { readonly items: unknown[] };
  await writeFile(join(dir, 'hub.json'), JSON.stringify({ ...list, items: [...list.items, ...tenants.map(tenantNetwork)] }));
  return dir;
}

/** Machines that come later are not known to the edge until this is called again. */
export async function applyEdge(lab: Lab, tenants: readonly Tenant[], signal?: AbortSignal): Promise<void> {
  const hub = await saveHub(lab, tenants, signal);
  for (const { cluster } of tenants) {
    const out = join(lab.dir, `rendered-${cluster}`);
    await rm(out, { recursive: true, force: true });
    const tenant = `${CLUSTERS}/${cluster}`;
    await lab.run([
      HCPIO,
      'render',
      '-f',
      hub,
      '--tenant',
      tenant,
      '--out',
      out,
      '--platform',
      'kubernetes',
      '--image',
      EDGE_IMAGE,
      '--prober-image',
      OPERATOR_IMAGE,
    ]);
    await lab.kubectl(['apply', '--server-side', '--force-conflicts', '-k', out], signal === undefined ? {} : { signal });
    await refreshPods(lab, `${CLUSTERS}-${cluster}-edge`, signal);
  }
}

/** As the operator does: a kubelet that sees a changed annotation brings changed ConfigMaps into the pod at once, and not a minute later. */
async function refreshPods(lab: Lab, namespace: string, signal?: AbortSignal): Promise<void> {
  const annotate = ['annotate', 'pods', '--all', '--overwrite', `--namespace=${namespace}`, `hcpio.io/lab-applied=${Date.now()}`];
  await lab.kubectl(annotate, signal === undefined ? {} : { signal });
}

const tenantNetwork = ({ cluster, segment, cidr }: Tenant) => ({
  apiVersion: 'hcpio.io/v1alpha1',
  kind: 'TenantNetwork',
  metadata: { name: cluster, namespace: CLUSTERS },
  spec: {
    hostedCluster: cluster,
    segment: { attachment: `default/${segment}`, cidrs: [cidr] },
    mode: 'Gateway',
  },
});
