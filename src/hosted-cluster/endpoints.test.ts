import { describe, expect, test } from 'vitest';
import type { FindingCode } from '../api/finding-catalogue.ts';
import { readEndpoints } from './endpoints.ts';
import type { PublishingStrategy } from './objects.ts';
import type { EndpointService } from './publishing.ts';
import { lb, nodePort, published, type Strategies, usual, viaRoute } from './testing/published.ts';

const upstreams = {
  APIServer: { namespace: 'clusters-blue', service: 'kube-apiserver', port: 6443, clusterIPs: ['172.30.10.1'], exists: true },
  OAuthServer: { namespace: 'clusters-blue', service: 'oauth-openshift', port: 6443, clusterIPs: ['172.30.10.2'], exists: true },
  Konnectivity: { namespace: 'clusters-blue', service: 'konnectivity-server', port: 8091, clusterIPs: ['172.30.10.3'], exists: true },
  Ignition: { namespace: 'clusters-blue', service: 'ignition-server-proxy', port: 443, clusterIPs: ['172.30.10.4'], exists: true },
};
type Service = keyof typeof upstreams;

const VIP = '192.168.100.3';

/** Every way to publish each service, and what workers dial then; or the finding why it does not come to that. */
const table: Readonly<
  Record<Service, readonly (readonly [strategy: PublishingStrategy, dialled: string | undefined, code?: FindingCode])[]>
> = {
  APIServer: [
    [lb('api.blue.example.com'), 'name api.blue.example.com 6443'],
    [lb(), 'ip 192.168.101.11 6443', 'HCPIO-EP-001'],
    [nodePort(VIP), 'ip 192.168.100.3 30001'],
    [nodePort('gw.blue.example.com', 30001), 'name gw.blue.example.com 30001'],
    [viaRoute('api.blue.example.com'), 'name api.blue.example.com 443'],
    [viaRoute(), undefined, 'HCPIO-EP-004'],
    [{ type: 'None' }, undefined, 'HCPIO-EP-004'],
    [{ type: 'S3' }, undefined, 'HCPIO-EP-004'],
  ],
  OAuthServer: [
    [lb('oauth.blue.example.com'), undefined, 'HCPIO-EP-004'],
    [nodePort(VIP), 'ip 192.168.100.3 30002'],
    [nodePort('gw.blue.example.com'), 'name gw.blue.example.com 30002'],
    [viaRoute('oauth.blue.example.com'), 'name oauth.blue.example.com 443'],
    [viaRoute(), 'name oauth-clusters-blue.apps.mgmt.example.com 443'],
    [{ type: 'None' }, undefined, 'HCPIO-EP-004'],
  ],
  Konnectivity: [
    [lb('konnectivity.blue.example.com'), 'name konnectivity.blue.example.com 8091'],
    [lb(), 'ip 192.168.101.12 8091', 'HCPIO-EP-001'],
    [nodePort('fd00:100::3'), 'ip fd00:100::3 30003'],
    [nodePort('gw.blue.example.com'), 'name gw.blue.example.com 30003'],
    [viaRoute('konnectivity.blue.example.com'), 'name konnectivity.blue.example.com 443'],
    [viaRoute(), 'name konnectivity-server-clusters-blue.apps.mgmt.example.com 443'],
    [{ type: 'S3' }, undefined, 'HCPIO-EP-004'],
  ],
  Ignition: [
    [lb('ignition.blue.example.com'), undefined, 'HCPIO-EP-004'],
    [nodePort(VIP), 'ip 192.168.100.3 30004'],
    [nodePort('gw.blue.example.com'), 'name gw.blue.example.com 30004'],
    [viaRoute('ignition.blue.example.com'), 'name ignition.blue.example.com 443'],
    [viaRoute(), 'name ignition-server-clusters-blue.apps.mgmt.example.com 443'],
    [{ type: 'None' }, undefined, 'HCPIO-EP-004'],
  ],
};

const read = (strategies: Strategies) => {
  const { endpoints, findings } = readEndpoints(published(strategies));
  return { endpoints, codes: findings.map((f) => f.code) };
};
const expectedOf = (service: Service, [strategy, dialled]: (typeof table)[Service][number]) => {
  if (dialled === undefined) return [];
  const [kind, text, port] = dialled.split(' ');
  return [{ service, strategy: strategy.type, host: { kind, text }, port: Number(port), upstream: upstreams[service] }];
};

const cases = (Object.keys(table) as Service[]).flatMap((service) =>
  table[service].map((row) => ({ service, row, how: JSON.stringify(row[0]) })),
);

describe('a rolled-out control plane', () => {
  test.each(cases)('$service by $how', ({ service, row }) => {
    const { endpoints, codes } = read({ ...usual, [service]: row[0] });
    expect(endpoints.filter((e) => e.service === service)).toEqual(expectedOf(service, row));
    expect(codes).toEqual(row[2] ? [row[2]] : []);
  });

  test('every combination of strategies is the sum of its parts', () => {
    let combinations = 0;
    for (const api of table.APIServer)
      for (const oauth of table.OAuthServer)
        for (const konnectivity of table.Konnectivity)
          for (const ignition of table.Ignition) {
            const rows = { APIServer: api, OAuthServer: oauth, Konnectivity: konnectivity, Ignition: ignition };
            const { endpoints, codes } = read({
              APIServer: api[0],
              OAuthServer: oauth[0],
              Konnectivity: konnectivity[0],
              Ignition: ignition[0],
            });
            expect(endpoints).toEqual((Object.keys(rows) as Service[]).flatMap((service) => expectedOf(service, rows[service])));
            expect(codes).toEqual(Object.values(rows).flatMap((row) => row[2] ?? []));
            combinations += 1;
          }
    expect(combinations).toBe(8 * 6 * 7 * 6);
  });
});

const endpointOf = (observed: ReturnType<typeof published>, service: EndpointService) =>
  readEndpoints(observed).endpoints.find((e) => e.service === service);
const blue = (change: Partial<Strategies> = {}) => published({ ...usual, ...change });

describe('what is published', () => {
  test('on a hub on Azure the API has port 7443 of a Service of its own, and the same upstream', () => {
    const observed = blue();
    const [plane] = observed.hostedControlPlanes;
    if (!plane) throw new Error('no control plane');
    const annotations = { ...plane.metadata.annotations, 'hypershift.openshift.io/management-platform': 'Azure' };
    const azure = {
      ...plane,
      metadata: { ...plane.metadata, annotations },
      status: { conditions: [], controlPlaneEndpoint: { host: 'api.blue.example.com', port: 7443 } },
    };
    expect(endpointOf({ ...observed, hostedControlPlanes: [azure] }, 'APIServer')).toEqual({
      service: 'APIServer',
      strategy: 'LoadBalancer',
      host: { kind: 'name', text: 'api.blue.example.com' },
      port: 7443,
      upstream: upstreams.APIServer,
    });
    const waiting = readEndpoints({ ...observed, hostedControlPlanes: [{ ...azure, status: { conditions: [] } }] });
    expect(waiting.findings.map((f) => f.message)).toEqual([
      'APIServer is not published yet: waiting for HyperShift to create Service clusters-blue/kube-apiserverlb',
    ]);
  });

  test('an API by Route is dialled at 443, whatever port the status carries', () => {
    const observed = blue({ APIServer: viaRoute('api.blue.example.com') });
    const hostedControlPlanes = observed.hostedControlPlanes.map((plane) => ({
      ...plane,
      status: { conditions: [], controlPlaneEndpoint: { host: 'api.blue.example.com', port: 6443 } },
    }));
    expect(endpointOf({ ...observed, hostedControlPlanes }, 'APIServer')?.port).toBe(443);
  });

  test('a load balancer that is known by a name is dialled by that name', () => {
    const observed = blue({ APIServer: lb() });
    const [plane] = observed.hostedControlPlanes;
    if (!plane) throw new Error('no control plane');
    const named = { ...plane, status: { conditions: [], controlPlaneEndpoint: { host: 'lb-1.cloud.example.com', port: 6443 } } };
    expect(readEndpoints({ ...observed, hostedControlPlanes: [named] }).findings).toEqual([]);
    expect(endpointOf({ ...observed, hostedControlPlanes: [named] }, 'APIServer')?.host).toEqual({
      kind: 'name',
      text: 'lb-1.cloud.example.com',
    });
  });

  test("with an identity provider of the user's own there is no OAuth server", () => {
    const observed = blue();
    const { hostedCluster } = observed;
    if (!hostedCluster) throw new Error('no cluster');
    const spec = {
      ...hostedCluster.spec,
      configuration: { authentication: { type: 'OIDC' } },
      services: hostedCluster.spec.services.filter((s) => s.service !== 'OAuthServer'),
    };
    const { endpoints, findings } = readEndpoints({ ...observed, hostedCluster: { ...hostedCluster, spec } });
    expect(endpoints.map((e) => e.service)).toEqual(['APIServer', 'Konnectivity', 'Ignition']);
    expect(findings).toEqual([]);
  });

  test('the metrics proxy is an endpoint when metrics are forwarded, at the host of its Route', () => {
    const observed = blue();
    const { hostedCluster } = observed;
    const [route] = observed.routes;
    const [service] = observed.services;
    if (!hostedCluster || !route || !service) throw new Error('nothing to change');
    const forwarding = { ...hostedCluster, spec: { ...hostedCluster.spec, monitoring: { metricsForwarding: { mode: 'Forward' } } } };
    const early = readEndpoints({ ...observed, hostedCluster: forwarding });
    expect(early.findings.map((f) => [f.code, f.message])).toEqual([
      ['HCPIO-EP-005', 'MetricsProxy is not published yet: waiting for HyperShift to create Route clusters-blue/metrics-proxy'],
      ['HCPIO-EP-006', 'MetricsProxy has nothing behind it yet: waiting for Service clusters-blue/metrics-proxy'],
    ]);
    const routes = [
      ...observed.routes,
      {
        ...route,
        metadata: { ...route.metadata, name: 'metrics-proxy' },
        spec: { ...route.spec, host: 'metrics-proxy-blue.blue.example.com' },
      },
    ];
    const services = [
      ...observed.services,
      {
        ...service,
        metadata: { ...service.metadata, name: 'metrics-proxy' },
        spec: { ...service.spec, clusterIP: '172.30.10.9', clusterIPs: ['172.30.10.9'], ports: [{ port: 443 }] },
      },
    ];
    const late = readEndpoints({ ...observed, hostedCluster: forwarding, routes, services });
    expect(late.findings).toEqual([]);
    expect(late.endpoints.at(-1)).toEqual({
      service: 'MetricsProxy',
      strategy: 'Route',
      host: { kind: 'name', text: 'metrics-proxy-blue.blue.example.com' },
      port: 443,
      upstream: { namespace: 'clusters-blue', service: 'metrics-proxy', port: 443, clusterIPs: ['172.30.10.9'], exists: true },
    });
  });

  test('a dual-stack Service has both of its addresses, and a headless one none', () => {
    const observed = blue();
    const change = (clusterIP: string, clusterIPs: string[]) => ({
      ...observed,
      services: observed.services.map((s) =>
        s.metadata.name === 'oauth-openshift' ? { ...s, spec: { ...s.spec, clusterIP, clusterIPs } } : s,
      ),
    });
    expect(endpointOf(change('172.30.10.2', ['172.30.10.2', 'FD02::A']), 'OAuthServer')?.upstream.clusterIPs).toEqual([
      '172.30.10.2',
      'fd02::a',
    ]);
    expect(endpointOf(change('None', ['None']), 'OAuthServer')?.upstream.clusterIPs).toEqual([]);
  });
});
