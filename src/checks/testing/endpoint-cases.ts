import { blueObserved } from '../../hosted-cluster/testing/blue.ts';
import { type Case, gateway } from './case.ts';

const nodePort = (address: string) =>
  ['APIServer', 'OAuthServer', 'Konnectivity', 'Ignition'].map((service) => ({
    service,
    servicePublishingStrategy: { type: 'NodePort', nodePort: { address } },
  }));

export const endpointCases: readonly Case[] = [
  {
    code: 'HCPIO-EP-014',
    when: 'no router runs in the guest yet',
    change: { observed: { guestRouter: 'absent' } },
    says: 'clusters/blue HostedCluster: no router runs in the hosted cluster yet, so *.apps.blue.example.com leads nowhere',
  },
  {
    code: 'HCPIO-EP-013',
    when: 'the EndpointSlices are missing',
    change: { observed: { endpointSlices: [] } },
    says: 'clusters-blue/konnectivity-server Service: its pods are not known, so the gateway dials its ClusterIP, and an agent may not meet every server',
  },
  {
    code: 'HCPIO-EP-002',
    when: 'the published address cannot be the VIP',
    change: {
      hostedClusterSpec: { services: nodePort('10.9.9.9') },
      observed: {
        services: blueObserved().services.map((s) => ({
          ...s,
          spec: { ...s.spec, type: 'NodePort', ports: s.spec.ports.map((p) => ({ ...p, nodePort: 30000 + p.port })) },
        })),
      },
    },
    says: 'clusters/blue HostedCluster spec.services[2].servicePublishingStrategy: workers will dial Konnectivity at 10.9.9.9, but the gateway answers on 192.168.100.3',
  },
  {
    code: 'HCPIO-EP-003',
    when: 'an extra port is taken',
    change: gateway({ ports: [{ port: 6443, service: 'oauth-openshift', servicePort: 6443 }] }),
    says: 'clusters/blue TenantNetwork: APIServer and spec.gateway.ports (oauth-openshift) both want port 6443 of the VIP',
  },
  {
    code: 'HCPIO-EP-010',
    when: 'an extra port has no Service',
    change: gateway({ ports: [{ port: 7000, service: 'nothing', servicePort: 1 }] }),
    says: 'clusters/blue TenantNetwork spec.gateway.ports[0].service: there is no Service clusters-blue/nothing to publish',
  },
];
