/** Plays the prober of a segment on which everything is as its list says. */
import { PROBES_FILE } from '../../src/gateway/probes.ts';
import type { WireObject } from '../../src/kube/object.ts';
import { CONFIG_MAP } from '../../src/operator/resources.ts';
import { hashOfList } from '../../src/probes/probe-list.ts';
import type { ServedReport } from '../../src/probes/report.ts';
import type { Hub } from './hub.ts';
import type { PlayedTenant } from './player.ts';

/** What it would answer to the list that stands on the hub now. */
export async function goodReport(hub: Hub, { namespace, name, controlPlane }: PlayedTenant): Promise<string> {
  const map = await hub.client.get<WireObject & { readonly data: Readonly<Record<string, string>> }>(
    CONFIG_MAP,
    { namespace: `${controlPlane}-edge`, name: 'prober-probes' },
    hub.signal,
  );
  const answered = ['APIServer', 'Ignition', 'Konnectivity', 'OAuthServer'];
  const passed = { verdict: 'passed', message: 'fine', milliseconds: 3 } as const;
  const report: ServedReport = {
    tenant: `${namespace}/${name}`,
    list: hashOfList(map.data[PROBES_FILE] ?? ''),
    results: [
      { group: 'DHCP', subject: 'DISCOVER', ...passed },
      { group: 'DNS', subject: 'edge-a udp', ...passed },
      ...answered.map((service) => ({ group: 'TLS', subject: `${service} at the VIP`, ...passed }) as const),
    ],
    holder: 'edge-a',
    answered,
    rogueServers: [],
    serials: ['edge-a', 'edge-b'].map((edge) => ({ edge, zone: `${name}.example.com`, serial: 7 })),
    ageMilliseconds: 10,
  };
  return JSON.stringify(report);
}
