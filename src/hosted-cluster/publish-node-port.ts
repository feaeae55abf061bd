import type { Publication, PublishedEntry, PublishingView } from './publishing.ts';
import { hostedClusterRef, upstreamOf } from './publishing.ts';

/** NodePort: the address of the spec (a name or an IP); the port is the one the Service got, which the spec may have asked for. */
export function byNodePort(view: PublishingView, { service, strategy, path }: PublishedEntry): Publication {
  const { service: name, port: servicePort } = upstreamOf[service];
  const address = strategy.nodePort?.address ?? '';
  const found = view.services.get(name);
  const given = found?.spec.ports.find((port) => port.port === servicePort)?.nodePort ?? 0;
  const asked = strategy.nodePort?.port ?? 0;
  const port = given > 0 ? given : asked > 0 ? asked : null;
  const wait = found ? `a node port on Service ${view.namespace}/${name}` : `HyperShift to create Service ${view.namespace}/${name}`;
  return {
    host: address === '' ? undefined : { text: address, object: hostedClusterRef(view), path: `${path}.nodePort.address` },
    port,
    waitingFor: port === null ? wait : undefined,
  };
}
