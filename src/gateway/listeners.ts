import type { ExtraPort, GatewaySettings } from '../api/tenant-network.ts';
import type { PlannedEndpoint, PlannedListener, PlannedRoute, TenantPlan } from './tenant-plan.ts';

/** One wish for a port of the VIP: all TLS connections for a name, or (sni null) everything that no name claims. */
interface Claim {
  readonly port: number;
  readonly route: PlannedRoute;
  readonly owner: string;
}

export interface ListenerPlan {
  readonly listeners: readonly PlannedListener[];
  /** Wishes that cannot be granted together: the second one, and the first one that it meets. */
  readonly conflicts: readonly { readonly port: number; readonly sni: string | null; readonly owners: readonly [string, string] }[];
}

export const GUEST_HTTPS = 'guest:https';
export const GUEST_HTTP = 'guest:http';

/**
 * Listeners of the VIP. A port that anybody claims by name inspects the ClientHello; a claim without a name on such a port is its default chain.
 * The API is never claimed by name: in-cluster clients send `kubernetes.default.svc` or no SNI at all.
 */
export function planListeners(
  addresses: TenantPlan['addresses'],
  endpoints: readonly PlannedEndpoint[],
  appsDomain: string,
  { apps, ports: extra }: Pick<GatewaySettings, 'apps' | 'ports'>,
  namespace: string,
): ListenerPlan {
  const vips = [addresses.ipv4?.vip, addresses.ipv6?.vip].filter((vip) => vip !== undefined);
  const claims = [
    ...endpoints.flatMap(claimOfEndpoint),
    ...(apps === 'Gateway' && appsDomain !== '' ? claimsOfApps(appsDomain) : []),
    ...extra.map((port) => claimOfExtra(port, namespace)),
  ];
  const granted: Claim[] = [];
  const conflicts: ListenerPlan['conflicts'][number][] = [];
  for (const claim of claims) {
    const rival = granted.find((other) => other.port === claim.port && other.route.sni === claim.route.sni);
    if (rival === undefined) granted.push(claim);
    else if (rival.route.upstream !== claim.route.upstream)
      conflicts.push({ port: claim.port, sni: claim.route.sni, owners: [rival.owner, claim.owner] });
  }
  const ports = [...new Set(granted.map((claim) => claim.port))].sort((a, b) => a - b);
  return { listeners: vips.flatMap((address) => ports.map((port) => listener(address, port, granted))), conflicts };
}

function listener(address: string, port: number, claims: readonly Claim[]): PlannedListener {
  const routes = claims.filter((claim) => claim.port === port).map((claim) => claim.route);
  const byName = routes.filter((route) => route.sni !== null);
  return { address, port, kind: byName.length > 0 ? 'sni' : 'tcp', routes: [...byName, ...routes.filter((route) => route.sni === null)] };
}

function claimOfEndpoint(endpoint: PlannedEndpoint): Claim[] {
  if (endpoint.port === null || endpoint.host === null) return [];
  const byName = endpoint.strategy === 'Route' && endpoint.service !== 'APIServer';
  return [{ port: endpoint.port, owner: endpoint.service, route: { sni: byName ? endpoint.host : null, upstream: endpoint.upstream } }];
}

const claimsOfApps = (appsDomain: string): Claim[] => [
  { port: 80, owner: 'apps', route: { sni: null, upstream: GUEST_HTTP } },
  { port: 443, owner: 'apps', route: { sni: `*.${appsDomain}`, upstream: GUEST_HTTPS } },
];

const claimOfExtra = (port: ExtraPort, namespace: string): Claim => ({
  port: port.port,
  owner: `spec.gateway.ports (${port.service})`,
  route: { sni: port.sni ?? null, upstream: `${namespace}/${port.service}:${port.servicePort}` },
});
