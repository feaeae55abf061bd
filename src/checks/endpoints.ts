import { familyOf } from '../net/ip.ts';
import { check, hostedClusterRef, tenantRef } from './check.ts';

/** Workers dial the published address itself, so it has to be the one that the gateway answers on. */
export const nodePortAddressIsTheVip = check('HCPIO-EP-002', ({ observed, plan }) => {
  const vips = [plan.addresses.ipv4?.vip, plan.addresses.ipv6?.vip].filter((vip) => vip !== undefined);
  if (vips.length === 0) return [];
  return plan.endpoints
    .filter((e) => e.strategy === 'NodePort' && e.host !== null && familyOf(e.host) !== undefined && !vips.includes(e.host))
    .map((e) => ({
      object: hostedClusterRef(observed),
      path: servicePath(observed, e.service),
      message: `workers will dial ${e.service} at ${e.host}, but the gateway answers on ${vips.join(' and ')}`,
      fix: `pin the gateway there (spec.gateway.addresses.vip: ${e.host}) if the address is free on the segment, or publish a DNS name; spec.services of a HostedCluster cannot be changed later`,
    }));
});

export const portsOfTheVipDoNotClash = check('HCPIO-EP-003', ({ observed, conflicts }) =>
  conflicts.map(({ port, sni, owners }) => ({
    object: tenantRef(observed),
    message: `${owners[0]} and ${owners[1]} both want port ${port}${sni === null ? '' : ` for ${sni}`} of the VIP`,
    fix:
      owners[1] === 'apps'
        ? 'set spec.gateway.apps to Workers or Nobody, or publish the other service elsewhere'
        : 'publish one of them on another port or name',
  })),
);

export const extraPortsHaveAService = check('HCPIO-EP-010', ({ observed, settings, plan }) =>
  settings.ports.flatMap((port, i) => {
    const found = observed.services.find((service) => service.metadata.name === port.service);
    if (found?.spec.ports.some((p) => p.port === port.servicePort)) return [];
    return [
      {
        object: tenantRef(observed),
        path: `spec.gateway.ports[${i}].${found === undefined ? 'service' : 'servicePort'}`,
        message:
          found === undefined
            ? `there is no Service ${plan.controlPlaneNamespace}/${port.service} to publish`
            : `Service ${plan.controlPlaneNamespace}/${port.service} has no port ${port.servicePort}`,
        fix: `name a Service and port of ${plan.controlPlaneNamespace}: kubectl get services -n ${plan.controlPlaneNamespace}`,
      },
    ];
  }),
);

export const unknownNamesReachTheApi = check('HCPIO-EP-012', ({ observed, plan, settings }) => {
  const shared = plan.listeners.some(
    (l) => l.kind === 'sni' && l.routes.some((r) => r.sni === null && r.upstream.includes('/kube-apiserver:')),
  );
  if (!shared || settings.apps === 'Gateway') return [];
  return [
    {
      object: hostedClusterRef(observed),
      message: 'the API shares port 443 and takes every connection without a known name, *.apps among them, as HyperShift itself does',
      fix: 'nothing has to be done; to tell them apart, publish the API by LoadBalancer with a hostname when the cluster is created anew',
    },
  ];
});

/** Agents must meet every server; through a ClusterIP they may meet one twice and another never. */
export const konnectivityPodsAreKnown = check('HCPIO-EP-013', ({ observed, plan }) => {
  const upstream = plan.upstreams.find((u) => u.discovery === 'pods');
  const slices = observed.endpointSlices.some((slice) => slice.metadata.labels['kubernetes.io/service-name'] === 'konnectivity-server');
  if (upstream === undefined || upstream.endpoints.length === 0 || slices) return [];
  return [
    {
      object: { kind: 'Service', namespace: plan.controlPlaneNamespace, name: 'konnectivity-server' },
      message: 'its pods are not known, so the gateway dials its ClusterIP, and an agent may not meet every server',
      fix: `add the EndpointSlices to the input: kubectl get endpointslices -n ${plan.controlPlaneNamespace} -o yaml`,
    },
  ];
});

export const guestRouterIsThere = check('HCPIO-EP-014', ({ observed, settings, plan }) => {
  if (settings.apps !== 'Gateway' || observed.guestRouter !== 'absent') return [];
  return [
    {
      object: hostedClusterRef(observed),
      message: `no router runs in the hosted cluster yet, so *.${plan.segment.domain === '' ? 'apps' : `apps.${plan.segment.domain}`} leads nowhere`,
      fix: 'nothing has to be done: it comes up when workers have joined',
    },
  ];
});

function servicePath(observed: Parameters<typeof hostedClusterRef>[0], name: string): string {
  const index = observed.hostedCluster?.spec.services.findIndex((s) => s.service === name) ?? -1;
  return index < 0 ? 'spec.services' : `spec.services[${index}].servicePublishingStrategy`;
}

export const endpointChecks = [
  konnectivityPodsAreKnown,
  guestRouterIsThere,
  nodePortAddressIsTheVip,
  portsOfTheVipDoNotClash,
  extraPortsHaveAService,
  unknownNamesReachTheApi,
];
