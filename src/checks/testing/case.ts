import type { FindingCode } from '../../api/finding-catalogue.ts';
import type { Change } from '../../hosted-cluster/testing/blue.ts';

/** One thing that is changed about the healthy tenant, and what its user reads then. */
export interface Case {
  readonly code: FindingCode;
  readonly when: string;
  readonly change: Change;
  readonly says: string;
}

export const gateway = (settings: Record<string, unknown>): Change => ({ spec: { gateway: settings } });
export const segment = (settings: Record<string, unknown>): Change => ({
  spec: { segment: { attachment: 'default/vlan100', cidrs: ['192.168.100.0/24'], ...settings } },
});
export const proxied = (noProxy: string): Change => ({
  hostedClusterSpec: { configuration: { proxy: { httpsProxy: 'http://proxy.example.com:3128', noProxy } } },
});
export const inForce = (change: Record<string, string> = {}) => ({
  inForce: { ipv4: { cidr: '192.168.100.0/24', router: '192.168.100.1', edgeA: '192.168.100.2', vip: '192.168.100.3', ...change } },
});
export const NO_PROXY =
  'ignition.blue.example.com,api.blue.example.com,oauth.blue.example.com,konnectivity.blue.example.com,.apps.blue.example.com';
/** Another tenant that sees the same machines. */
export const neighbour = {
  tenant: 'clusters/red',
  hostedCluster: 'clusters/red',
  attachment: 'default/vlan-100',
  sameSegment: true,
  cidrs: ['192.168.100.128/25'],
};
