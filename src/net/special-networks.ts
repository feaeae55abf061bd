import { type Cidr, overlaps, readCidr } from './cidr.ts';

/** A network that means something to the hub, to the guest or to IP itself, so that no segment may lie in it. */
export interface SpecialNetwork {
  readonly cidr: Cidr;
  readonly text: string;
  /** Completes "overlaps ...". */
  readonly what: string;
}

const table: readonly (readonly [cidr: string, what: string])[] = [
  ['100.64.0.0/16', "OVN-Kubernetes' join network"],
  ['fd98::/64', "OVN-Kubernetes' join network"],
  ['100.65.0.0/16', "OVN-Kubernetes' join network of user-defined networks"],
  // HyperShift moves the guest's join network out of the way of the hub's, and refuses machine networks that overlap it.
  ['100.66.0.0/16', 'the OVN-Kubernetes join network of hosted clusters on KubeVirt'],
  ['fd99::/64', 'the OVN-Kubernetes join network of hosted clusters on KubeVirt'],
  ['100.88.0.0/16', "OVN-Kubernetes' transit network"],
  ['fd97::/64', "OVN-Kubernetes' transit network"],
  ['169.254.0.0/17', "OVN-Kubernetes' masquerade network"],
  ['fd69::/112', "OVN-Kubernetes' masquerade network"],
  // Every worker binds this address on lo, where the guest's kubernetes.default points (networking.apiServer.advertiseAddress).
  ['172.20.0.1/32', 'the API proxy on every worker'],
  ['fd00::1/128', 'the API proxy on every worker'],
  ['0.0.0.0/8', '"this network" (RFC 791)'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local addresses'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'the reserved class E and broadcast'],
  ['::/8', 'the unspecified, loopback and IPv4-mapped addresses'],
  ['fe80::/10', 'link-local addresses'],
  ['ff00::/8', 'multicast'],
];

export const specialNetworks: readonly SpecialNetwork[] = table.map(([text, what]) => {
  const cidr = readCidr(text);
  if (!cidr) throw new Error(`special network ${text} is no CIDR`);
  return { cidr, text, what };
});

export const specialNetworksIn = (cidr: Cidr): SpecialNetwork[] => specialNetworks.filter((special) => overlaps(special.cidr, cidr));
