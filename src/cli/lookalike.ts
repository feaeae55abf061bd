import { editDistance } from '../api/nearest.ts';
import { API_VERSION, GROUP } from '../api/tenant-network.ts';
import { projections } from '../hosted-cluster/objects.ts';

/**
 * Kinds whose names nobody else uses: the same name in another group is a mistake. Service, Route, Network, Ingress, DNS, Proxy,
 * Node and NodePool are left out, because other groups have them too.
 */
const OURS_ALONE = ['TenantNetwork', 'HostedCluster', 'HostedControlPlane', 'NetworkAttachmentDefinition', 'VirtualMachineInstance'];

const KNOWN = [
  { group: GROUP, kind: 'TenantNetwork', written: `TenantNetwork of ${API_VERSION}` },
  ...Object.keys(projections).map((key) => {
    const [group = '', kind = ''] = key.split('/');
    return { group, kind, written: group === '' ? kind : `${kind} of ${group}` };
  }),
];

/** The kind that was probably meant by an object of a kind that we do not read; undefined when it looks like what it says. */
export function lookalike(apiVersion: string, kind: string): string | undefined {
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  const sameName = KNOWN.find((known) => OURS_ALONE.includes(known.kind) && known.kind.toLowerCase() === kind.toLowerCase());
  if (sameName) return sameName.written;
  // Short kinds are near to everything, so only the long ones are compared letter by letter, and only within the group.
  const misspelt = KNOWN.find(
    (known) => known.group === group && known.kind.length >= 8 && editDistance(known.kind.toLowerCase(), kind.toLowerCase()) <= 2,
  );
  if (misspelt) return misspelt.written;
  return group === GROUP ? KNOWN[0]?.written : undefined;
}
