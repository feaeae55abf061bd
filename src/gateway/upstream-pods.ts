import type { Service } from '../hosted-cluster/objects.ts';
import type { TenantPlan } from './tenant-plan.ts';
import { parseUpstream } from './upstreams.ts';

/** Pods behind an upstream and the port on which they listen. Policies see a packet after the Service's address was translated. */
export interface PodPort {
  /** What a policy about them is called. */
  readonly name: string;
  readonly selector: Readonly<Record<string, string>>;
  readonly port: number | string;
}

export interface ControlPlaneFacts {
  /** Services of the control-plane namespace; needed only for `gateway.ports`, whose pods nobody else knows. */
  readonly services?: readonly Service[] | undefined;
  /** `networking.apiServer.port` of the HostedCluster, where it is set. */
  readonly apiServerPort?: number | undefined;
}

const KUBE_APISERVER_PORT = 6443;

/**
 * What HyperShift's own Services lead to. Known, not read, so that the policies are there before the Services are: ignition-server-proxy
 * comes last of all. konnectivity-server is a container of the kube-apiserver pods.
 */
const KNOWN: Readonly<Record<string, PodPort>> = {
  'oauth-openshift': { name: 'oauth-openshift', selector: { app: 'oauth-openshift' }, port: 6443 },
  'konnectivity-server': { name: 'kube-apiserver', selector: { app: 'kube-apiserver' }, port: 8091 },
  'ignition-server-proxy': { name: 'ignition-server-proxy', selector: { app: 'ignition-server-proxy' }, port: 8443 },
  'metrics-proxy': { name: 'metrics-proxy', selector: { app: 'metrics-proxy' }, port: 9443 },
};

/** The pods that the gateway dials on the hub, those that the plan's listeners lead to and no others. */
export const upstreamPods = (plan: Pick<TenantPlan, 'upstreams'>, facts: ControlPlaneFacts): readonly PodPort[] =>
  plan.upstreams.filter((upstream) => upstream.discovery !== 'workers').flatMap(({ upstream }) => podPort(upstream, facts));

function podPort(upstream: string, { services = [], apiServerPort }: ControlPlaneFacts): PodPort[] {
  const { name, port } = parseUpstream(upstream);
  // HyperShift keeps the pods on 6443 when 443 is asked for.
  if (name === 'kube-apiserver')
    return [
      { name, selector: { app: name }, port: apiServerPort === undefined || apiServerPort === 443 ? KUBE_APISERVER_PORT : apiServerPort },
    ];
  const known = KNOWN[name];
  if (known !== undefined) return [known];
  const service = services.find((candidate) => candidate.metadata.name === name);
  const found = service?.spec.ports.find((candidate) => candidate.port === port);
  // A Service that is not there, or selects nothing, opens nothing.
  if (service === undefined || found === undefined || Object.keys(service.spec.selector).length === 0) return [];
  return [{ name, selector: service.spec.selector, port: found.targetPort ?? port }];
}
