import { describe, expect, test } from 'vitest';
import { readEndpoints } from './endpoints.ts';
import type { EndpointService } from './publishing.ts';
import { lb, nodePort, published, type Strategies, usual, viaRoute } from './testing/published.ts';

const blue = (change: Partial<Strategies> = {}) => published({ ...usual, ...change });
const endpointOf = (observed: ReturnType<typeof published>, service: EndpointService) =>
  readEndpoints(observed).endpoints.find((e) => e.service === service);

describe('what is refused', () => {
  const findingsOf = (observed: ReturnType<typeof published>) => readEndpoints(observed).findings;
  const cluster = { severity: 'error', object: 'clusters/blue HostedCluster' };
  const notCreated = (observed: ReturnType<typeof published>) => {
    const { hostedCluster } = observed;
    if (!hostedCluster) throw new Error('no cluster');
    const { uid: _, ...metadata } = hostedCluster.metadata;
    return {
      ...observed,
      hostedCluster: { ...hostedCluster, metadata, status: { conditions: [] } },
      hostedControlPlanes: [],
      services: [],
      routes: [],
    };
  };

  test('a load balancer without a hostname is told before the cluster is created, when it can still be changed', () => {
    expect(findingsOf(notCreated(blue({ APIServer: lb() })))).toEqual([
      {
        ...cluster,
        code: 'HCPIO-EP-001',
        path: 'spec.services[0].servicePublishingStrategy',
        message: "APIServer: workers will dial the load balancer's address itself, which DNS on the segment cannot redirect",
        fix: 'set spec.services[APIServer].servicePublishingStrategy.loadBalancer.hostname before the cluster is created (it cannot be changed later)',
      },
    ]);
  });

  test('and on a cluster that exists the advice is to create it anew', () => {
    expect(findingsOf(blue({ APIServer: lb() }))).toEqual([
      {
        ...cluster,
        code: 'HCPIO-EP-001',
        path: 'spec.services[0].servicePublishingStrategy',
        message: 'APIServer: workers will dial 192.168.101.11 itself, which DNS on the segment cannot redirect',
        fix: 'create the cluster anew, and set spec.services[APIServer].servicePublishingStrategy.loadBalancer.hostname (it cannot be changed on a cluster that exists)',
      },
    ]);
  });

  test('a hostname that is an address is an address', () => {
    expect(findingsOf(notCreated(blue({ OAuthServer: viaRoute('10.0.0.7') })))).toEqual([
      {
        ...cluster,
        code: 'HCPIO-EP-001',
        path: 'spec.services[1].servicePublishingStrategy.route.hostname',
        message: 'OAuthServer: workers will dial 10.0.0.7 itself, which DNS on the segment cannot redirect',
        fix: 'set spec.services[OAuthServer].servicePublishingStrategy.route.hostname to a DNS name before the cluster is created (it cannot be changed later)',
      },
    ]);
  });

  test.each([
    [
      { OAuthServer: lb() },
      'spec.services[1].servicePublishingStrategy.type',
      'HyperShift does not publish OAuthServer by LoadBalancer on KubeVirt',
      'publish OAuthServer by Route or NodePort',
    ],
    [
      { APIServer: { type: 'None' as const } },
      'spec.services[0].servicePublishingStrategy.type',
      'HyperShift does not publish APIServer by None on KubeVirt',
      'publish APIServer by LoadBalancer with a hostname, Route or NodePort',
    ],
    [
      { APIServer: viaRoute() },
      'spec.services[0].servicePublishingStrategy',
      'HyperShift does not publish APIServer by Route without a hostname',
      'set spec.services[APIServer].servicePublishingStrategy.route.hostname',
    ],
    [
      { Ignition: { type: 'NodePort' as const } },
      'spec.services[3].servicePublishingStrategy',
      'HyperShift does not publish Ignition by NodePort without an address',
      'set spec.services[Ignition].servicePublishingStrategy.nodePort.address',
    ],
  ])('%j', (change, path, message, fix) => {
    expect(findingsOf(notCreated(blue(change)))).toEqual([
      { ...cluster, code: 'HCPIO-EP-004', path, message, fix: `${fix} before the cluster is created (it cannot be changed later)` },
    ]);
  });

  test('two services cannot share a host name, unless by NodePort', () => {
    expect(findingsOf(notCreated(blue({ Ignition: viaRoute('api.blue.example.com') })))).toEqual([
      {
        ...cluster,
        code: 'HCPIO-EP-007',
        path: 'spec.services[3].servicePublishingStrategy',
        message: 'APIServer and Ignition are both published as api.blue.example.com',
        fix: 'give Ignition a host name of its own before the cluster is created (it cannot be changed later)',
      },
    ]);
    const gw = nodePort('gw.blue.example.com');
    expect(findingsOf(published({ APIServer: gw, OAuthServer: gw, Konnectivity: gw, Ignition: gw }))).toEqual([]);
  });

  test.each([
    ['upper case', 'API.blue.example.com', '"API.blue.example.com"'],
    ['a quote', 'api".example.com', '"api\\".example.com"'],
    ['a line break', 'api.example.com\nforward . 8.8.8.8', '"api.example.com\\nforward . 8.8.8.8"'],
    ['a blank', 'api example.com', '"api example.com"'],
    ['a trailing dot', 'api.example.com.', '"api.example.com."'],
    ['an address that is none', '192.168.100.300', '"192.168.100.300"'],
    ['a wildcard', '*.example.com', '"*.example.com"'],
    ['the worker itself', 'localhost', '"localhost"'],
    ['a port', 'api.example.com:6443', '"api.example.com:6443"'],
  ])('a host with %s is no DNS name, and is passed on to nobody', (_, text, shown) => {
    const observed = notCreated(blue({ Konnectivity: viaRoute(text) }));
    expect(findingsOf(observed)).toEqual([
      {
        ...cluster,
        code: 'HCPIO-EP-008',
        path: 'spec.services[2].servicePublishingStrategy.route.hostname',
        message: `${shown} is no DNS name that workers could ask for`,
        fix: 'use lower-case letters, digits, - and . only, at most 63 characters between dots, and a last part that is not a number',
      },
    ]);
    expect(endpointOf(observed, 'Konnectivity')?.host).toEqual({ kind: 'unknown', text: null });
  });

  test('a wrong host that a status repeats is told at the spec, and one that only a status has at the status', () => {
    expect(findingsOf(blue({ Ignition: viaRoute('Ignition') })).map((f) => [f.code, f.path])).toEqual([
      ['HCPIO-EP-008', 'spec.services[3].servicePublishingStrategy.route.hostname'],
    ]);
    const observed = blue();
    const odd = {
      ...observed,
      hostedCluster: observed.hostedCluster && {
        ...observed.hostedCluster,
        status: { conditions: [], ignitionEndpoint: 'ignition.blue.example.com:99999' },
      },
    };
    expect(findingsOf(odd).map((f) => [f.code, f.path])).toEqual([['HCPIO-EP-008', 'status.ignitionEndpoint']]);
  });

  test('an apps domain that is no DNS name is told', () => {
    const observed = blue();
    const { hostedCluster } = observed;
    if (!hostedCluster) throw new Error('no cluster');
    const spec = { ...hostedCluster.spec, configuration: { ingress: { appsDomain: 'Apps.example.com' } } };
    expect(findingsOf({ ...observed, hostedCluster: { ...hostedCluster, spec } }).map((f) => [f.code, f.path])).toEqual([
      ['HCPIO-EP-008', 'spec.configuration.ingress.appsDomain'],
    ]);
  });

  test('a service that spec.services does not mention is missed', () => {
    const observed = notCreated(blue());
    const { hostedCluster } = observed;
    const spec = { ...hostedCluster.spec, services: hostedCluster.spec.services.filter((s) => s.service !== 'Konnectivity') };
    expect(findingsOf({ ...observed, hostedCluster: { ...hostedCluster, spec } })).toEqual([
      {
        ...cluster,
        code: 'HCPIO-EP-009',
        path: 'spec.services',
        message: 'spec.services does not say how Konnectivity is published',
        fix: 'add Konnectivity to spec.services before the cluster is created (it cannot be changed later)',
      },
    ]);
  });

  test('an upstream without the port that it should have is told', () => {
    const observed = blue();
    const services = observed.services.map((s) =>
      s.metadata.name === 'oauth-openshift' ? { ...s, spec: { ...s.spec, ports: [{ port: 443 }] } } : s,
    );
    expect(findingsOf({ ...observed, services })).toEqual([
      {
        code: 'HCPIO-EP-011',
        severity: 'error',
        object: 'clusters-blue/oauth-openshift Service',
        path: 'spec.ports',
        message: 'Service clusters-blue/oauth-openshift has no port 6443 (its ports: 443)',
        fix: 'see who changed it, and give it port 6443 back: kubectl get service -n clusters-blue oauth-openshift -o yaml --show-managed-fields',
      },
    ]);
  });
});
