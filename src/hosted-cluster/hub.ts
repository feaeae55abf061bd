import { compareAddresses, formatAddress, parseAddress } from '../net/ip.ts';
import type { HubDns, HubIngress, HubNetworkObject, HubNode, HubProxy, ServiceCidr } from './objects.ts';
import type { Hub } from './observed.ts';

export interface HubObjects {
  readonly networks: readonly HubNetworkObject[];
  readonly ingresses: readonly HubIngress[];
  readonly dnses: readonly HubDns[];
  readonly proxies: readonly HubProxy[];
  readonly nodes: readonly HubNode[];
  readonly serviceCidrs: readonly ServiceCidr[];
}

/** config.openshift.io objects are singletons of this name; others of their kind mean nothing. */
const SINGLETON = 'cluster';

/**
 * What is known of the hub. OpenShift writes its networks down, in the status once they are in force; a plain hub shows them by the pod
 * networks of its Nodes and by its ServiceCIDRs.
 */
export function readHub({ networks, ingresses, dnses, proxies, nodes, serviceCidrs }: HubObjects): Hub {
  const network = singleton(networks);
  const clusterNetworks = firstFilled(
    cidrs(network?.status.clusterNetwork),
    cidrs(network?.spec.clusterNetwork),
    nodes.flatMap((node) => node.spec.podCIDRs),
  );
  const serviceNetworks = firstFilled(
    network?.status.serviceNetwork,
    network?.spec.serviceNetwork,
    serviceCidrs.flatMap((object) => object.spec.cidrs),
  );
  return {
    clusterNetworks: sorted(clusterNetworks),
    serviceNetworks: sorted(serviceNetworks),
    nodeAddresses: nodeAddresses(nodes),
    ingressDomain: singleton(ingresses)?.spec.domain ?? '',
    baseDomain: singleton(dnses)?.spec.baseDomain ?? '',
    proxy: proxyOf(singleton(proxies)),
  };
}

const singleton = <T extends { readonly metadata: { readonly name: string } }>(objects: readonly T[]): T | undefined =>
  objects.find((object) => object.metadata.name === SINGLETON);

const cidrs = (entries: readonly { readonly cidr: string }[] | undefined): string[] => (entries ?? []).map((entry) => entry.cidr);

const firstFilled = (...lists: readonly (readonly string[] | undefined)[]): readonly string[] =>
  lists.find((list) => list && list.length > 0) ?? [];

/** Watches deliver in any order; the same hub must read the same. */
const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].sort();

const IP_TYPES = new Set(['InternalIP', 'ExternalIP']);

function nodeAddresses(nodes: readonly HubNode[]): string[] {
  const texts = nodes.flatMap((node) => node.status.addresses.filter(({ type }) => IP_TYPES.has(type)).map(({ address }) => address));
  const addresses = texts.flatMap((text) => parseAddress(text) ?? []).sort(compareAddresses);
  return [...new Set(addresses.map(formatAddress))];
}

/** Without a proxy address OpenShift's Proxy object says nothing, though it always exists. */
function proxyOf(proxy: HubProxy | undefined): Hub['proxy'] {
  const { httpProxy = '', httpsProxy = '', noProxy = '' } = proxy?.status ?? {};
  if (httpProxy === '' && httpsProxy === '') return undefined;
  return { ...(httpProxy !== '' && { httpProxy }), ...(httpsProxy !== '' && { httpsProxy }), noProxy };
}
