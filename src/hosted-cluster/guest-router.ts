import * as z from 'zod';
import type { GuestRouter } from './observed.ts';

/**
 * The default IngressController of a hosted cluster, as far as a gateway on the segment needs it: on which port of which machines its
 * routers answer. On KubeVirt HyperShift publishes it as NodePortService; LoadBalancerService has node ports as well.
 */
export const ROUTER_NAMESPACE = 'openshift-ingress';
/** In the order of preference: a cluster has one of them. */
export const ROUTER_SERVICES = ['router-nodeport-default', 'router-default'] as const;

export const routerService = z.object({
  spec: z.object({
    externalTrafficPolicy: z.string().default('Cluster'),
    ports: z.array(z.object({ name: z.string().default(''), nodePort: z.number().optional() })).default([]),
  }),
});

export const routerSlices = z.object({
  items: z.array(
    z.object({
      endpoints: z
        .array(z.object({ nodeName: z.string().optional(), conditions: z.object({ ready: z.boolean().optional() }).default({}) }))
        .nullish(),
    }),
  ),
});

export type RouterService = z.output<typeof routerService>;
export type RouterSlices = z.output<typeof routerSlices>;

/** Absent: there is no router that could be dialled yet. */
export function readGuestRouter({ spec }: RouterService, { items }: RouterSlices): GuestRouter | 'absent' {
  const port = (name: string) => spec.ports.find((one) => one.name === name)?.nodePort;
  const [https, http] = [port('https'), port('http')];
  const endpoints = items.flatMap(({ endpoints: some }) => some ?? []).filter(({ conditions }) => conditions.ready !== false);
  if (https === undefined || http === undefined || endpoints.length === 0) return 'absent';
  const nodes = new Set(endpoints.flatMap(({ nodeName }) => nodeName ?? []));
  // With `Local` a node without a router drops what comes; otherwise every node passes it on. A Node is called what its VM is called.
  return { httpsPort: https, httpPort: http, machines: spec.externalTrafficPolicy === 'Local' ? [...nodes].sort() : [] };
}
