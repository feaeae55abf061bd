import { describe, expect, test } from 'vitest';
import { readEndpoints } from './endpoints.ts';
import type { EndpointService } from './publishing.ts';
import { nodePort, published, type Strategies, usual, viaRoute } from './testing/published.ts';

const blue = (change: Partial<Strategies> = {}) => published({ ...usual, ...change });
const endpointOf = (observed: ReturnType<typeof published>, service: EndpointService) =>
  readEndpoints(observed).endpoints.find((e) => e.service === service);
const VIP = '192.168.100.3';
const upstreams = {
  APIServer: { namespace: 'clusters-blue', service: 'kube-apiserver', port: 6443, clusterIPs: ['172.30.10.1'], exists: true },
};

describe('what is waited for', () => {
  const without = (observed: ReturnType<typeof published>, ...names: string[]) => ({
    ...observed,
    services: observed.services.filter((s) => !names.includes(s.metadata.name)),
    routes: observed.routes.filter((r) => !names.includes(r.metadata.name)),
  });
  const unpublished = (observed: ReturnType<typeof published>) => ({
    ...observed,
    hostedCluster: observed.hostedCluster && {
      ...observed.hostedCluster,
      status: { conditions: [], controlPlaneEndpoint: { host: '', port: 0 } },
    },
    hostedControlPlanes: observed.hostedControlPlanes.map((plane) => ({ ...plane, status: { conditions: [] } })),
  });
  const sentences = (observed: ReturnType<typeof published>) => readEndpoints(observed).findings.map((f) => `${f.code} ${f.message}`);

  test('a load balancer has no address yet', () => {
    const observed = unpublished(blue());
    const services = observed.services.map((s) => ({ ...s, status: { loadBalancer: { ingress: [] } } }));
    expect(sentences({ ...observed, services })).toEqual([
      'HCPIO-EP-005 APIServer is not published yet: waiting for an address on LoadBalancer Service clusters-blue/kube-apiserver',
      'HCPIO-EP-005 Ignition is not published yet: waiting for HyperShift to write status.ignitionEndpoint of HostedCluster clusters/blue',
    ]);
    expect(endpointOf({ ...observed, services }, 'APIServer')).toEqual({
      service: 'APIServer',
      strategy: 'LoadBalancer',
      host: { kind: 'name', text: 'api.blue.example.com' },
      port: 6443,
      upstream: upstreams.APIServer,
    });
  });

  test('everything is there but HyperShift has not said so: an empty host is no host', () => {
    expect(sentences(unpublished(blue()))).toEqual([
      'HCPIO-EP-005 APIServer is not published yet: waiting for HyperShift to write status.controlPlaneEndpoint of HostedControlPlane clusters-blue/blue',
      'HCPIO-EP-005 Ignition is not published yet: waiting for HyperShift to write status.ignitionEndpoint of HostedCluster clusters/blue',
    ]);
  });

  test('an API by Route waits for the router of the control plane', () => {
    const observed = unpublished(blue({ APIServer: viaRoute('api.blue.example.com') }));
    expect(sentences(without(observed, 'router'))[0]).toBe(
      'HCPIO-EP-005 APIServer is not published yet: waiting for HyperShift to create Service clusters-blue/router',
    );
  });

  test('a Route without a hostname waits for the Route, then for its host', () => {
    const observed = blue({ Konnectivity: viaRoute() });
    const routes = observed.routes.map((r) => (r.metadata.name === 'konnectivity-server' ? { ...r, spec: { ...r.spec, host: '' } } : r));
    expect(sentences({ ...observed, routes })).toEqual([
      'HCPIO-EP-005 Konnectivity is not published yet: waiting for the hub to give Route clusters-blue/konnectivity-server a host',
    ]);
    expect(sentences({ ...observed, routes: [] })).toEqual([
      'HCPIO-EP-005 Konnectivity is not published yet: waiting for HyperShift to create Route clusters-blue/konnectivity-server',
    ]);
    expect(endpointOf({ ...observed, routes }, 'Konnectivity')?.host).toEqual({ kind: 'unknown', text: null });
  });

  test('a dynamic node port waits for the Service, then for its port; an asked-for one is known before', () => {
    const strategy = nodePort(VIP, 0);
    const observed = blue({ Konnectivity: strategy });
    const services = observed.services.map((s) => ({ ...s, spec: { ...s.spec, ports: s.spec.ports.map(({ port }) => ({ port })) } }));
    expect(sentences({ ...observed, services })).toEqual([
      'HCPIO-EP-005 Konnectivity is not published yet: waiting for a node port on Service clusters-blue/konnectivity-server',
    ]);
    expect(sentences(without(observed, 'konnectivity-server'))).toEqual([
      'HCPIO-EP-005 Konnectivity is not published yet: waiting for HyperShift to create Service clusters-blue/konnectivity-server',
      'HCPIO-EP-006 Konnectivity has nothing behind it yet: waiting for Service clusters-blue/konnectivity-server',
    ]);
    const asked = without(blue({ Konnectivity: nodePort(VIP, 30085) }), 'konnectivity-server');
    expect(endpointOf(asked, 'Konnectivity')?.port).toBe(30085);
  });

  test('ignition is published long before its proxy exists, and ignition-server is no substitute', () => {
    const observed = without(blue(), 'ignition-server-proxy');
    const [service] = observed.services;
    if (!service) throw new Error('no Service');
    const trap = {
      ...service,
      metadata: { ...service.metadata, name: 'ignition-server' },
      spec: { ...service.spec, ports: [{ port: 443 }] },
    };
    const { endpoints, findings } = readEndpoints({ ...observed, services: [...observed.services, trap] });
    expect(findings).toEqual([
      {
        code: 'HCPIO-EP-006',
        severity: 'info',
        object: 'clusters/blue HostedCluster',
        message:
          'Ignition has nothing behind it yet: waiting for Service clusters-blue/ignition-server-proxy, which HyperShift creates when ignition-server is available',
        fix: 'nothing to do',
      },
    ]);
    expect(endpoints.at(-1)).toEqual({
      service: 'Ignition',
      strategy: 'Route',
      host: { kind: 'name', text: 'ignition.blue.example.com' },
      port: 443,
      upstream: { namespace: 'clusters-blue', service: 'ignition-server-proxy', port: 443, clusterIPs: [], exists: false },
    });
  });

  test('without a control plane the spec alone speaks, and nothing of the namespace is read', () => {
    const observed = { ...unpublished(blue({ Konnectivity: viaRoute() })), hostedControlPlanes: [] };
    const { endpoints, findings } = readEndpoints(observed);
    expect(findings).toEqual([]);
    expect(endpoints.map((e) => [e.service, e.host.text, e.port, e.upstream.exists])).toEqual([
      ['APIServer', 'api.blue.example.com', null, false],
      ['OAuthServer', 'oauth.blue.example.com', 443, false],
      ['Konnectivity', null, 443, false],
      ['Ignition', 'ignition.blue.example.com', 443, false],
    ]);
  });

  test('without a HostedCluster there are no endpoints', () => {
    expect(readEndpoints({ ...blue(), hostedCluster: undefined })).toEqual({ endpoints: [], findings: [] });
  });
});
