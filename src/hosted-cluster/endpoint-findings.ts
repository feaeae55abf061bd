import { quote } from '../api/field-problem.ts';
import { type Finding, finding } from '../api/finding.ts';
import {
  type Endpoint,
  type EndpointService,
  type HostText,
  hostedClusterRef,
  type Publication,
  type PublishedEntry,
  type PublishingView,
  type Upstream,
} from './publishing.ts';

/** The sentences about published endpoints, apart from the reading of them. */

/** spec.services is immutable, so the advice depends on whether the cluster was created already. */
function beforeCreation({ hostedCluster }: PublishingView, change: string): string {
  return hostedCluster.metadata.uid === undefined
    ? `${change} before the cluster is created (it cannot be changed later)`
    : `create the cluster anew, and ${change} (it cannot be changed on a cluster that exists)`;
}

const fieldOf = (service: EndpointService, field: string): string => `spec.services[${service}].servicePublishingStrategy.${field}`;

/** HCPIO-EP-001 */
export function addressDialled(view: PublishingView, { service, strategy, path }: PublishedEntry, { host }: Endpoint): Finding[] {
  const lacksName = strategy.type === 'LoadBalancer' && !strategy.loadBalancer?.hostname;
  if (strategy.type === 'NodePort' || host.kind === 'name' || (host.kind === 'unknown' && !lacksName)) return [];
  const field = strategy.type === 'LoadBalancer' ? 'loadBalancer.hostname' : 'route.hostname';
  return [
    finding('HCPIO-EP-001', {
      object: hostedClusterRef(view),
      path: `${path}${lacksName ? '' : `.${field}`}`,
      message: `${service}: workers will dial ${host.text ?? "the load balancer's address"} itself, which DNS on the segment cannot redirect`,
      fix: beforeCreation(view, `set ${fieldOf(service, field)}${lacksName ? '' : ' to a DNS name'}`),
    }),
  ];
}

/** HCPIO-EP-004: strategies that the control-plane operator refuses on KubeVirt. */
export function unsupported(view: PublishingView, { service, strategy, path }: PublishedEntry): Finding | undefined {
  const object = hostedClusterRef(view);
  const { type } = strategy;
  if (type === 'None' || type === 'S3' || (type === 'LoadBalancer' && (service === 'OAuthServer' || service === 'Ignition'))) {
    const better =
      service === 'APIServer' || service === 'Konnectivity' ? 'LoadBalancer with a hostname, Route or NodePort' : 'Route or NodePort';
    const fix = beforeCreation(view, `publish ${service} by ${better}`);
    return finding('HCPIO-EP-004', {
      object,
      path: `${path}.type`,
      message: `HyperShift does not publish ${service} by ${type} on KubeVirt`,
      fix,
    });
  }
  if (type === 'Route' && service === 'APIServer' && !strategy.route?.hostname) {
    const fix = beforeCreation(view, `set ${fieldOf(service, 'route.hostname')}`);
    return finding('HCPIO-EP-004', { object, path, message: 'HyperShift does not publish APIServer by Route without a hostname', fix });
  }
  if (type === 'NodePort' && !strategy.nodePort?.address) {
    const fix = beforeCreation(view, `set ${fieldOf(service, 'nodePort.address')}`);
    return finding('HCPIO-EP-004', { object, path, message: `HyperShift does not publish ${service} by NodePort without an address`, fix });
  }
  return undefined;
}

/** HCPIO-EP-005 and HCPIO-EP-006: exactly what is waited for. While there is no control plane, HCPIO-TEN-006 says all there is to say. */
export function waiting(view: PublishingView, { service }: PublishedEntry, { waitingFor }: Publication, upstream: Upstream): Finding[] {
  if (!view.hostedControlPlane) return [];
  const object = hostedClusterRef(view);
  const findings: Finding[] = [];
  if (waitingFor !== undefined) {
    const fix = waitingFor.includes('LoadBalancer')
      ? 'nothing to do where the hub has a load-balancer controller; else install one, such as MetalLB'
      : 'nothing to do';
    findings.push(finding('HCPIO-EP-005', { object, message: `${service} is not published yet: waiting for ${waitingFor}`, fix }));
  }
  if (!upstream.exists) {
    const when = service === 'Ignition' ? ', which HyperShift creates when ignition-server is available' : '';
    const message = `${service} has nothing behind it yet: waiting for Service ${upstream.namespace}/${upstream.service}${when}`;
    findings.push(finding('HCPIO-EP-006', { object, message, fix: 'nothing to do' }));
  }
  return findings;
}

/** HCPIO-EP-007: HyperShift refuses it for load balancers and Routes alike; by NodePort one address for all is the rule. */
export function sharedNames(view: PublishingView, endpoints: readonly Endpoint[]): Finding[] {
  const first = new Map<string, EndpointService>();
  return endpoints.flatMap(({ service, strategy, host }) => {
    if (strategy === 'NodePort' || host.kind !== 'name') return [];
    const other = first.get(host.text);
    if (other === undefined) {
      first.set(host.text, service);
      return [];
    }
    const index = view.hostedCluster.spec.services.findIndex((entry) => entry.service === service);
    return [
      finding('HCPIO-EP-007', {
        object: hostedClusterRef(view),
        path: index < 0 ? undefined : `spec.services[${index}].servicePublishingStrategy`,
        message: `${other} and ${service} are both published as ${host.text}`,
        fix: beforeCreation(view, `give ${service} a host name of its own`),
      }),
    ];
  });
}

/** HCPIO-EP-008 */
export const noDnsName = ({ text, object, path }: HostText): Finding =>
  finding('HCPIO-EP-008', {
    object,
    path,
    message: `${quote(text)} is no DNS name that workers could ask for`,
    fix: 'use lower-case letters, digits, - and . only, at most 63 characters between dots, and a last part that is not a number',
  });

/** HCPIO-EP-009 */
export const notPublished = (view: PublishingView, service: EndpointService): Finding =>
  finding('HCPIO-EP-009', {
    object: hostedClusterRef(view),
    path: 'spec.services',
    message: `spec.services does not say how ${service} is published`,
    fix: beforeCreation(view, `add ${service} to spec.services`),
  });

/** HCPIO-EP-011 */
export function missingPort({ services }: PublishingView, { namespace, service, port }: Upstream): Finding[] {
  const found = services.get(service);
  if (!found || found.spec.ports.some((candidate) => candidate.port === port)) return [];
  const has = found.spec.ports.map((candidate) => candidate.port).join(', ') || 'none';
  return [
    finding('HCPIO-EP-011', {
      object: { kind: 'Service', namespace, name: service },
      path: 'spec.ports',
      message: `Service ${namespace}/${service} has no port ${port} (its ports: ${has})`,
      fix: `see who changed it, and give it port ${port} back: kubectl get service -n ${namespace} ${service} -o yaml --show-managed-fields`,
    }),
  ];
}
