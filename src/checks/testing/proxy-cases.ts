import { type Case, NO_PROXY, proxied } from './case.ts';

export const proxyCases: readonly Case[] = [
  {
    code: 'HCPIO-PRX-001',
    when: 'noProxy misses ignition',
    change: proxied('kubernetes'),
    says: 'clusters/blue HostedCluster spec.configuration.proxy.noProxy: noProxy does not cover ignition.blue.example.com: VMs will fetch their ignition config through the proxy, which cannot reach it',
  },
  {
    code: 'HCPIO-PRX-002',
    when: 'noProxy misses the API',
    change: proxied('ignition.blue.example.com'),
    says: 'clusters/blue HostedCluster spec.configuration.proxy.noProxy: noProxy covers neither api.blue.example.com nor kubernetes: every node will reach its API through the proxy, which cannot reach it',
  },
  {
    code: 'HCPIO-PRX-003',
    when: 'noProxy misses OAuth',
    change: proxied(NO_PROXY.replace('oauth.blue.example.com,', '')),
    says: 'clusters/blue HostedCluster spec.configuration.proxy.noProxy: noProxy does not cover oauth.blue.example.com: OAuthServer will be dialled through the proxy',
  },
  {
    code: 'HCPIO-PRX-004',
    when: 'noProxy misses the apps',
    change: proxied(NO_PROXY.replace(',.apps.blue.example.com', '')),
    says: "clusters/blue HostedCluster spec.configuration.proxy.noProxy: noProxy does not cover .apps.blue.example.com: the cluster's own checks of console and ingress go through the proxy",
  },
  {
    code: 'HCPIO-PRX-005',
    when: 'noProxy misses the segment',
    change: { hostedClusterSpec: { networking: {}, configuration: { proxy: { httpsProxy: 'http://p:1', noProxy: NO_PROXY } } } },
    says: 'clusters/blue HostedCluster spec.configuration.proxy.noProxy: the segment 192.168.100.0/24 is not in noProxy, because networking.machineNetwork does not hold it',
  },
];
