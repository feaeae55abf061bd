import * as z from 'zod';

/**
 * The fields of other people's objects that hcpio reads, and nothing more. Every schema drops what it does not name, so the result is
 * small enough to keep for a thousand tenants; a field of the wrong type is refused here, at the border, and never further in.
 */
const text = z.string();
const meta = z.object({
  name: text,
  namespace: text.default(''),
  uid: text.optional(),
  labels: z.record(text, text).default({}),
  annotations: z.record(text, text).default({}),
  deletionTimestamp: text.optional(),
  ownerReferences: z.array(z.object({ kind: text, name: text, uid: text.optional() })).default([]),
});
const named = z.object({ cidr: text });
const condition = z.object({ type: text, status: text, reason: text.default(''), message: text.default('') });

export const publishedService = z.enum(['APIServer', 'OAuthServer', 'Konnectivity', 'Ignition', 'OIDC', 'OVNSbDb']);
const strategy = z.object({
  type: z.enum(['LoadBalancer', 'NodePort', 'Route', 'None', 'S3']),
  loadBalancer: z.object({ hostname: text.optional() }).optional(),
  nodePort: z.object({ address: text, port: z.int().optional() }).optional(),
  route: z.object({ hostname: text.optional() }).optional(),
});
const controlPlaneEndpoint = z.object({ host: text.default(''), port: z.int().default(0) });

const clusterSpec = z.object({
  platform: z.object({
    type: text,
    kubevirt: z
      .object({ baseDomainPassthrough: z.boolean().optional(), credentials: z.object({ infraNamespace: text.optional() }).optional() })
      .optional(),
  }),
  networking: z
    .object({
      machineNetwork: z.array(named).default([]),
      clusterNetwork: z.array(named).default([]),
      serviceNetwork: z.array(named).default([]),
      apiServer: z.object({ advertiseAddress: text.optional(), port: z.int().optional() }).optional(),
    })
    .prefault({}),
  dns: z.object({ baseDomain: text.default(''), baseDomainPrefix: text.optional() }).prefault({}),
  kubeAPIServerDNSName: text.optional(),
  services: z.array(z.object({ service: publishedService, servicePublishingStrategy: strategy })).default([]),
  configuration: z
    .object({
      ingress: z.object({ domain: text.optional(), appsDomain: text.optional() }).optional(),
      proxy: z.object({ httpProxy: text.optional(), httpsProxy: text.optional(), noProxy: text.optional() }).optional(),
      authentication: z.object({ type: text.optional() }).optional(),
    })
    .optional(),
  monitoring: z.object({ metricsForwarding: z.object({ mode: text.optional() }).optional() }).optional(),
  nodeSelector: z.record(text, text).optional(),
  tolerations: z.array(z.record(text, z.unknown())).optional(),
});

export const hostedCluster = z.object({
  kind: z.literal('HostedCluster'),
  metadata: meta,
  spec: clusterSpec,
  status: z
    .object({
      ignitionEndpoint: text.optional(),
      controlPlaneEndpoint: controlPlaneEndpoint.optional(),
      conditions: z.array(condition).default([]),
    })
    .prefault({}),
});
export const hostedControlPlane = z.object({
  kind: z.literal('HostedControlPlane'),
  metadata: meta,
  spec: clusterSpec,
  status: z.object({ controlPlaneEndpoint: controlPlaneEndpoint.optional(), conditions: z.array(condition).default([]) }).prefault({}),
});
export const service = z.object({
  kind: z.literal('Service'),
  metadata: meta,
  spec: z.object({
    type: text.default('ClusterIP'),
    clusterIP: text.optional(),
    clusterIPs: z.array(text).default([]),
    ports: z
      .array(
        z.object({ name: text.optional(), port: z.int(), nodePort: z.int().optional(), targetPort: z.union([z.int(), text]).optional() }),
      )
      .default([]),
    selector: z.record(text, text).default({}),
  }),
  status: z
    .object({
      loadBalancer: z.object({ ingress: z.array(z.object({ ip: text.optional(), hostname: text.optional() })).default([]) }).prefault({}),
    })
    .prefault({}),
});
export const route = z.object({
  kind: z.literal('Route'),
  metadata: meta,
  spec: z.object({ host: text.default(''), to: z.object({ name: text }) }),
});
export const endpointSlice = z.object({
  kind: z.literal('EndpointSlice'),
  metadata: meta,
  addressType: text,
  endpoints: z
    .array(
      z.object({
        addresses: z.array(text),
        conditions: z.object({ ready: z.boolean().nullish(), serving: z.boolean().nullish() }).prefault({}),
      }),
    )
    .nullish(),
  ports: z.array(z.object({ name: text.nullish(), port: z.int().nullish() })).nullish(),
});
export const nad = z.object({
  kind: z.literal('NetworkAttachmentDefinition'),
  metadata: meta,
  spec: z.object({ config: text.default('') }).prefault({}),
});
export const nodePool = z.object({
  kind: z.literal('NodePool'),
  metadata: meta,
  spec: z.object({
    clusterName: text,
    replicas: z.int().nullish(),
    autoScaling: z.object({ min: z.int().optional(), max: z.int() }).nullish(),
    pausedUntil: text.nullish(),
    management: z
      .object({ replace: z.object({ rollingUpdate: z.object({ maxSurge: z.union([z.int(), text]).optional() }).optional() }).optional() })
      .optional(),
    platform: z.object({
      type: text,
      kubevirt: z
        .object({ attachDefaultNetwork: z.boolean().nullish(), additionalNetworks: z.array(z.object({ name: text })).nullish() })
        .optional(),
    }),
  }),
});
export const virtualMachineInstance = z.object({
  kind: z.literal('VirtualMachineInstance'),
  metadata: meta,
  spec: z
    .object({ networks: z.array(z.object({ name: text, multus: z.object({ networkName: text }).optional() })).default([]) })
    .prefault({}),
  status: z
    .object({
      phase: text.optional(),
      interfaces: z
        .array(z.object({ name: text.optional(), mac: text.optional(), ipAddress: text.optional(), ipAddresses: z.array(text).optional() }))
        .default([]),
    })
    .prefault({}),
});
/** config.openshift.io/v1: what the hub says of its own networks. */
export const hubNetwork = z.object({
  kind: z.literal('Network'),
  metadata: meta,
  spec: z.object({ clusterNetwork: z.array(named).default([]), serviceNetwork: z.array(text).default([]) }).prefault({}),
  status: z.object({ clusterNetwork: z.array(named).default([]), serviceNetwork: z.array(text).default([]) }).prefault({}),
});
export const hubIngress = z.object({
  kind: z.literal('Ingress'),
  metadata: meta,
  spec: z.object({ domain: text.default('') }).prefault({}),
});
export const hubDns = z.object({ kind: z.literal('DNS'), metadata: meta, spec: z.object({ baseDomain: text.default('') }).prefault({}) });
export const hubProxy = z.object({
  kind: z.literal('Proxy'),
  metadata: meta,
  status: z.object({ httpProxy: text.optional(), httpsProxy: text.optional(), noProxy: text.optional() }).prefault({}),
});
/** A plain hub (no config.openshift.io) still has Nodes and ServiceCIDRs. */
export const node = z.object({
  kind: z.literal('Node'),
  metadata: meta,
  spec: z.object({ podCIDRs: z.array(text).default([]) }).prefault({}),
  status: z.object({ addresses: z.array(z.object({ type: text, address: text })).default([]) }).prefault({}),
});
export const serviceCidr = z.object({
  kind: z.literal('ServiceCIDR'),
  metadata: meta,
  spec: z.object({ cidrs: z.array(text).default([]) }).prefault({}),
});

export type HostedCluster = z.output<typeof hostedCluster>;
export type HostedControlPlane = z.output<typeof hostedControlPlane>;
export type Service = z.output<typeof service>;
export type Route = z.output<typeof route>;
export type EndpointSlice = z.output<typeof endpointSlice>;
export type Nad = z.output<typeof nad>;
export type NodePool = z.output<typeof nodePool>;
export type VirtualMachineInstance = z.output<typeof virtualMachineInstance>;
export type HubNetworkObject = z.output<typeof hubNetwork>;
export type HubIngress = z.output<typeof hubIngress>;
export type HubDns = z.output<typeof hubDns>;
export type HubProxy = z.output<typeof hubProxy>;
export type HubNode = z.output<typeof node>;
export type ServiceCidr = z.output<typeof serviceCidr>;
export type PublishingStrategy = z.output<typeof strategy>;
export type PublishedService = z.output<typeof publishedService>;

/** The kinds we read, by `group/kind`: what the CLI reads from files and the operator watches. */
export const projections = {
  'hypershift.openshift.io/HostedCluster': hostedCluster,
  'hypershift.openshift.io/HostedControlPlane': hostedControlPlane,
  'hypershift.openshift.io/NodePool': nodePool,
  '/Service': service,
  '/Node': node,
  'route.openshift.io/Route': route,
  'discovery.k8s.io/EndpointSlice': endpointSlice,
  'networking.k8s.io/ServiceCIDR': serviceCidr,
  'k8s.cni.cncf.io/NetworkAttachmentDefinition': nad,
  'kubevirt.io/VirtualMachineInstance': virtualMachineInstance,
  'config.openshift.io/Network': hubNetwork,
  'config.openshift.io/Ingress': hubIngress,
  'config.openshift.io/DNS': hubDns,
  'config.openshift.io/Proxy': hubProxy,
} as const;
export type ProjectedKind = keyof typeof projections;
