import type { GatewaySettings } from '../api/tenant-network.ts';
import type { OpenPort, PlannedEndpoint, PlannedListener, TenantPlan } from './tenant-plan.ts';

const PURPOSE: Readonly<Record<PlannedEndpoint['service'], string>> = {
  APIServer: 'API',
  OAuthServer: 'OAuth',
  Konnectivity: 'konnectivity',
  Ignition: 'ignition',
  MetricsProxy: 'metrics',
};

/** All that answers on the segment: the guard opens these, and a scan must find these and no others. */
export function planOpenPorts(
  listeners: readonly PlannedListener[],
  endpoints: readonly PlannedEndpoint[],
  settings: GatewaySettings,
  addresses: TenantPlan['addresses'],
): OpenPort[] {
  if (addresses.ipv4 === undefined && addresses.ipv6 === undefined) return [];
  const purposes = new Map<string, string>(endpoints.map((e) => [e.upstream, PURPOSE[e.service]]));
  const ports = [...new Set(listeners.map((l) => l.port))];
  const dhcp: OpenPort[] = [
    ...(addresses.ipv4 === undefined ? [] : [{ protocol: 'udp', port: 67, on: 'any', purpose: 'DHCP' } as const]),
    ...(addresses.ipv6 === undefined ? [] : [{ protocol: 'udp', port: 547, on: 'any', purpose: 'DHCPv6' } as const]),
  ];
  return [
    ...(settings.dhcp.serve === 'Nobody' ? [] : dhcp),
    { protocol: 'udp', port: 53, on: 'edge', purpose: 'DNS' },
    { protocol: 'tcp', port: 53, on: 'edge', purpose: 'DNS' },
    ...ports.map((port): OpenPort => {
      const upstreams = new Set(listeners.filter((l) => l.port === port).flatMap((l) => l.routes.map((route) => route.upstream)));
      return {
        protocol: 'tcp',
        port,
        on: 'vip',
        purpose: [...upstreams].map((u) => purposes.get(u) ?? (u.startsWith('guest:') ? 'apps' : u)).join(', '),
      };
    }),
  ];
}
