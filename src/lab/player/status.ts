/** The status of a HostedControlPlane and of its HostedCluster, without the times of change, which belong to whoever writes it. */
import { type ControlPlaneFacts, hostedClusterConditions, hostedControlPlaneConditions, type Progress } from './conditions.ts';
import { type Endpoints, hostPort, infrastructureReady } from './endpoints.ts';
import { type Condition, type HostedCluster, type HostedControlPlane, strategyOf } from './hosted-cluster.ts';

export interface Status {
  readonly conditions: readonly Condition[];
  readonly [field: string]: unknown;
}

export function hostedControlPlaneStatus(hcp: HostedControlPlane, endpoints: Endpoints, facts: ControlPlaneFacts): Status {
  const conditions = hostedControlPlaneConditions(hcp, facts);
  const known = infrastructureReady(hcp.spec, endpoints) ? endpoints : undefined;
  return {
    conditions,
    controlPlaneVersion: controlPlaneVersion(hcp, String(hcp.spec['releaseImage'])),
    externalManagedControlPlane: true,
    initialized: true,
    ready: conditions.some(({ type, status }) => type === 'Available' && status === 'True'),
    ...(known
      ? {
          controlPlaneEndpoint: known.api,
          kubeadminPassword: { name: 'kubeadmin-password' },
          oauthCallbackURLTemplate: oauthCallback(known.oauth),
        }
      : {}),
    ...(facts.kubeconfig ? { kubeConfig: { key: 'kubeconfig', name: 'admin-kubeconfig' } } : {}),
  };
}

export function hostedClusterStatus(
  cluster: HostedCluster,
  controlPlane: Status | undefined,
  endpoints: Endpoints,
  ignitionServer: Progress,
): Status {
  const { name, creationTimestamp = '' } = cluster.metadata;
  const { image } = cluster.spec.release;
  const repeated = ['controlPlaneVersion', 'oauthCallbackURLTemplate'].filter((field) => controlPlane?.[field] !== undefined);
  return {
    conditions: hostedClusterConditions(cluster, controlPlane?.conditions ?? [], ignitionServer),
    // An empty host means unset; the port of a Route is known from the start.
    controlPlaneEndpoint: controlPlane?.['controlPlaneEndpoint'] ?? {
      host: '',
      port: strategyOf(cluster.spec, 'APIServer').type === 'Route' ? 443 : 0,
    },
    ...Object.fromEntries(repeated.map((field) => [field, controlPlane?.[field]])),
    ...(endpoints.ignition ? { ignitionEndpoint: endpoints.ignition } : {}),
    ...(controlPlane?.['kubeadminPassword'] ? { kubeadminPassword: { name: `${name}-kubeadmin-password` } } : {}),
    ...(controlPlane?.['kubeConfig'] ? { kubeconfig: { name: `${name}-admin-kubeconfig` } } : {}),
    payloadArch: 'AMD64',
    version: {
      availableUpdates: null,
      desired: { image, version: '' },
      history: [{ completionTime: null, image, startedTime: creationTimestamp, state: 'Partial', verified: false, version: '' }],
      observedGeneration: 2,
    },
  };
}

function controlPlaneVersion(hcp: HostedControlPlane, image: string) {
  const version = /:(\d+\.\d+\.\d+)/.exec(image)?.[1] ?? '';
  const { creationTimestamp = '' } = hcp.metadata;
  return {
    desired: { image, version },
    history: [{ image, startedTime: creationTimestamp, state: 'Partial', version }],
    observedGeneration: 1,
  };
}

const oauthCallback = (endpoint: { readonly host: string; readonly port: number }) =>
  `https://${hostPort(endpoint)}/oauth2callback/[identity-provider-name]`;
