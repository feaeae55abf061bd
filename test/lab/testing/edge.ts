/** hcpio's part, by hand: what `hcpio render` makes of the hub, applied with kubectl. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lab } from '../../../src/lab/contract.ts';
import { EDGE_IMAGE } from '../../../src/lab/images/edge.ts';
import { CLUSTERS } from '../../../src/lab/player/scenario.ts';

const HCPIO = join(import.meta.dirname, '..', '..', '..', 'bin', 'hcpio');
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

/** Plans from what is on the hub now: machines that come later are not known to the edge until this is called again. */
export async function applyEdge(lab: Lab, tenants: readonly Tenant[]): Promise<void> {
  const dir = join(lab.dir, 'rendered-by-test');
  await rm(dir, { recursive: true, force: true });
  await mkdir(join(dir, 'hub'), { recursive: true });
  const list = JSON.parse(await lab.kubectl(['get', READ.join(','), '--all-namespaces', '--output=json'])) as { readonly items: unknown[] };
  await writeFile(join(dir, 'hub', 'hub.json'), JSON.stringify({ ...list, items: [...list.items, ...tenants.map(tenantNetwork)] }));
  for (const { cluster } of tenants) {
    const out = join(dir, cluster);
    await lab.run([
      HCPIO,
      'render',
      '-f',
      join(dir, 'hub'),
      '--tenant',
      `${CLUSTERS}/${cluster}`,
      '--out',
      out,
      '--platform',
      'kubernetes',
      '--image',
      EDGE_IMAGE,
    ]);
    await lab.kubectl(['apply', '--server-side', '--force-conflicts', '-k', out]);
  }
}

const tenantNetwork = ({ cluster, segment, cidr }: Tenant) => ({
  apiVersion: 'hcpio.io/v1alpha1',
  kind: 'TenantNetwork',
  metadata: { name: cluster, namespace: CLUSTERS },
  spec: { hostedCluster: cluster, segment: { attachment: `default/${segment}`, cidrs: [cidr] }, mode: 'Gateway' },
});
