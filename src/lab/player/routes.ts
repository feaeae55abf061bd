import {
  HOSTED_CONTROL_PLANE_LABEL,
  type HostedControlPlane,
  type Manifest,
  ownedBy,
  type ServiceName,
  strategyOf,
  usesOwnRouter,
} from './hosted-cluster.ts';

interface Shape {
  readonly name: string;
  readonly host: string;
  readonly to: string;
  readonly internal?: true;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Written with the infrastructure: what the API, OAuth and konnectivity are published by. */
export function infrastructureRoutes(hcp: HostedControlPlane, ingressDomain: string): readonly Manifest[] {
  const { spec, metadata } = hcp;
  const routed = (service: ServiceName) => strategyOf(spec, service).type === 'Route';
  const host = (service: ServiceName, name: string) => hostOf(hcp, service, name, ingressDomain);
  return [
    ...(routed('APIServer')
      ? [
          route(hcp, { name: 'kube-apiserver', host: strategyOf(spec, 'APIServer').route?.hostname ?? '', to: 'kube-apiserver' }),
          // Always there with the router of the control plane's own: the default backend for those who send no name.
          route(hcp, {
            name: 'kube-apiserver-internal',
            host: `api.${metadata.name}.hypershift.local`,
            to: 'kube-apiserver',
            internal: true,
          }),
        ]
      : []),
    ...(routed('Konnectivity')
      ? [
          route(hcp, {
            name: 'konnectivity-server',
            host: host('Konnectivity', 'konnectivity-server'),
            to: 'konnectivity-server',
            annotations: { 'haproxy.router.openshift.io/balance': 'roundrobin' },
          }),
        ]
      : []),
    ...(routed('OAuthServer') ? [route(hcp, { name: 'oauth', host: host('OAuthServer', 'oauth'), to: 'oauth-openshift' })] : []),
  ];
}

/** Comes with the component ignition-server, and points at the proxy that does not exist yet. */
export function ignitionRoute(hcp: HostedControlPlane, ingressDomain: string): readonly Manifest[] {
  if (strategyOf(hcp.spec, 'Ignition').type !== 'Route') return [];
  return [
    route(hcp, { name: 'ignition-server', host: hostOf(hcp, 'Ignition', 'ignition-server', ingressDomain), to: 'ignition-server-proxy' }),
  ];
}

/** Without a hostname the hub's API server allots one on creation, of this form; HyperShift steps in where that label would be too long. */
function hostOf(hcp: HostedControlPlane, service: ServiceName, name: string, ingressDomain: string): string {
  return strategyOf(hcp.spec, service).route?.hostname || `${shortened(`${name}-${hcp.metadata.namespace}`)}.${ingressDomain}`;
}

function shortened(label: string): string {
  if (label.length < 63) return label;
  return `${label.slice(0, 53)}-${fnv1a(label)}`;
}

function fnv1a(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}

function route(hcp: HostedControlPlane, { name, host, to, internal, annotations }: Shape): Manifest {
  const { namespace = '' } = hcp.metadata;
  const labels = {
    ...(usesOwnRouter(hcp.spec) || internal ? { [HOSTED_CONTROL_PLANE_LABEL]: namespace } : {}),
    ...(internal ? { 'hypershift.openshift.io/internal-route': 'true' } : {}),
  };
  return {
    apiVersion: 'route.openshift.io/v1',
    kind: 'Route',
    metadata: {
      name,
      namespace,
      ownerReferences: ownedBy(hcp),
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
    },
    spec: {
      host,
      tls: { insecureEdgeTerminationPolicy: 'None', termination: 'passthrough' },
      to: { kind: 'Service', name: to, weight: 100 },
      wildcardPolicy: 'None',
    },
  };
}
