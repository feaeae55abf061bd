/** Asks a hosted cluster for its router: two small questions over a connection that is closed again. */
import { ROUTER_NAMESPACE, ROUTER_SERVICES, readGuestRouter, routerService, routerSlices } from '../../hosted-cluster/guest-router.ts';
import type { GuestRouter } from '../../hosted-cluster/observed.ts';
import { Client } from '../../kube/client.ts';
import { resourcePath, type WireObject } from '../../kube/object.ts';
import { Transport } from '../../kube/transport.ts';
import { may, type PolicyRule } from '../rbac.ts';
import { ENDPOINT_SLICE, SECRET, SERVICE } from '../resources.ts';
import { GUEST_KUBECONFIG, guestConnection, readGuestKubeconfig } from './kubeconfig.ts';

export interface GuestAddress {
  /** Of the hosted control plane. */
  readonly namespace: string;
  /** Of Service kube-apiserver. */
  readonly address: string;
  readonly port: number;
}

/** Undefined: the guest cannot be asked yet. It throws when it should have answered and did not. */
export type ReadRouter = (guest: GuestAddress, signal: AbortSignal) => Promise<GuestRouter | 'absent' | undefined>;

export const guestRules: readonly PolicyRule[] = [may(['get'], SECRET, { names: [GUEST_KUBECONFIG] })];

const PATIENCE_MS = 5000;

export const routerReader =
  (hub: Transport): ReadRouter =>
  async ({ namespace, address, port }, signal) => {
    const secret = await new Client(hub).find<WireObject & { data?: Readonly<Record<string, string>> }>(
      SECRET,
      { namespace, name: GUEST_KUBECONFIG },
      signal,
    );
    const tls = readGuestKubeconfig(Buffer.from(secret?.data?.['kubeconfig'] ?? '', 'base64').toString());
    if (tls === undefined) return undefined;
    const transport = new Transport({ connection: guestConnection(address, port, tls), userAgent: 'hcpio-operator' });
    try {
      return await askFor(transport, AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]));
    } finally {
      transport.close();
    }
  };

async function askFor(transport: Transport, signal: AbortSignal): Promise<GuestRouter | 'absent'> {
  const client = new Client(transport);
  for (const name of ROUTER_SERVICES) {
    const service = await client.find(SERVICE, { namespace: ROUTER_NAMESPACE, name }, signal);
    if (service === undefined) continue;
    const query = { labelSelector: `kubernetes.io/service-name=${name}` };
    const { body } = await transport.request({ path: resourcePath(ENDPOINT_SLICE, ROUTER_NAMESPACE), query }, signal);
    return readGuestRouter(routerService.parse(service), routerSlices.parse(body));
  }
  return 'absent';
}
