import type { FindingText } from '../api/finding.ts';
import { segmentCidrs } from '../gateway/segment-cidrs.ts';
import { coversHost, parseNoProxy } from '../hosted-cluster/no-proxy.ts';
import { type CheckInput, check, hostedClusterRef } from './check.ts';

/** The guest's proxy, with the networks that HyperShift adds to noProxy by itself. Undefined when there is no proxy: then nothing here applies. */
function guestNoProxy({ observed }: CheckInput): string[] | undefined {
  const spec = observed.hostedCluster?.spec;
  const proxy = spec?.configuration?.proxy;
  if (spec === undefined || ((proxy?.httpProxy ?? '') === '' && (proxy?.httpsProxy ?? '') === '')) return undefined;
  const { machineNetwork, clusterNetwork, serviceNetwork } = spec.networking;
  const added = [
    '127.0.0.1',
    'localhost',
    '.svc',
    '.cluster.local',
    '.local',
    ...[...machineNetwork, ...clusterNetwork, ...serviceNetwork].map((n) => n.cidr),
  ];
  return [...added, ...parseNoProxy(proxy?.noProxy ?? '')];
}

const PATH = 'spec.configuration.proxy.noProxy';
const fix = (...entries: readonly string[]): string =>
  `add ${entries.join(',')} to configuration.proxy.noProxy of the HostedCluster (changing it later replaces every worker)`;

const hostOf = ({ plan }: CheckInput, service: string): string | undefined =>
  plan.endpoints.find((e) => e.service === service)?.host ?? undefined;

function uncovered(input: CheckInput, services: readonly string[]): { service: string; host: string }[] {
  const noProxy = guestNoProxy(input);
  if (noProxy === undefined) return [];
  return services.flatMap((service) => {
    const host = hostOf(input, service);
    return host === undefined || coversHost(noProxy, host) ? [] : [{ service, host }];
  });
}

export const ignitionBypassesTheProxy = check('HCPIO-PRX-001', (input) =>
  uncovered(input, ['Ignition']).map(({ host }) => ({
    object: hostedClusterRef(input.observed),
    path: PATH,
    message: `noProxy does not cover ${host}: VMs will fetch their ignition config through the proxy, which cannot reach it`,
    fix: fix(host),
  })),
);

export const nodesBypassTheProxy = check('HCPIO-PRX-002', (input) => {
  const noProxy = guestNoProxy(input);
  const api = hostOf(input, 'APIServer');
  if (noProxy === undefined || api === undefined || input.observed.hostedCluster?.spec.configuration?.proxy?.httpsProxy === undefined)
    return [];
  // HyperShift keeps its raw TCP proxy on the nodes when noProxy covers the API host or holds the text `kubernetes`; else it dials by HTTP CONNECT.
  if (coversHost(noProxy, api) || noProxy.some((entry) => entry.includes('kubernetes'))) return [];
  return [
    {
      object: hostedClusterRef(input.observed),
      path: PATH,
      message: `noProxy covers neither ${api} nor kubernetes: every node will reach its API through the proxy, which cannot reach it`,
      fix: fix(api, 'kubernetes'),
    },
  ];
});

export const agentsBypassTheProxy = check('HCPIO-PRX-003', (input) =>
  uncovered(input, ['OAuthServer', 'Konnectivity']).map(
    ({ service, host }): FindingText => ({
      object: hostedClusterRef(input.observed),
      path: PATH,
      message: `noProxy does not cover ${host}: ${service} will be dialled through the proxy`,
      fix: fix(host),
    }),
  ),
);

export const appsBypassTheProxy = check('HCPIO-PRX-004', (input) => {
  const noProxy = guestNoProxy(input);
  const apps = input.plan.names
    .find((record) => record.name.startsWith('*.apps.') || (record.name.startsWith('*.') && 'address' in record))
    ?.name.slice(2);
  if (noProxy === undefined || apps === undefined || coversHost(noProxy, `console.${apps}`)) return [];
  return [
    {
      object: hostedClusterRef(input.observed),
      path: PATH,
      message: `noProxy does not cover .${apps}: the cluster's own checks of console and ingress go through the proxy`,
      fix: fix(`.${apps}`),
    },
  ];
});

export const segmentBypassesTheProxy = check('HCPIO-PRX-005', (input) => {
  const noProxy = guestNoProxy(input);
  if (noProxy === undefined) return [];
  return segmentCidrs(input.observed)
    .cidrs.filter((cidr) => !noProxy.includes(cidr))
    .map((cidr) => ({
      object: hostedClusterRef(input.observed),
      path: PATH,
      message: `the segment ${cidr} is not in noProxy, because networking.machineNetwork does not hold it`,
      fix: fix(cidr),
    }));
});

export const proxyChecks = [
  ignitionBypassesTheProxy,
  nodesBypassTheProxy,
  agentsBypassTheProxy,
  appsBypassTheProxy,
  segmentBypassesTheProxy,
];
