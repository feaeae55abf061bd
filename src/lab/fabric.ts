/**
 * The wires: one bridge per L2 in the fabric's namespace, a leg of each into every node, a router per segment, and the hub's own network.
 *
 * Every cable is made with both ends inside the lab's namespaces. No address, route or interface of the lab is ever in the machine's own
 * namespace, so neither reaches the other, and two labs may use the same addresses.
 */
import type { Lab, LabNode, Segment } from './contract.ts';

/** Carries the traffic between the control plane and the nodes. */
const HUB_BRIDGE = 'hub0';
/** The pod network's bridge in each node. Made here and not by the CNI plugin, because it needs a setting that the plugin does not know. */
export const POD_BRIDGE = 'cni0';

/** What is to be done in one namespace: sysctls, cables, `ip` commands, nftables; in this order. */
export interface Wiring {
  readonly netns: string;
  readonly sysctl: Readonly<Record<string, string>>;
  readonly cables: readonly Cable[];
  readonly ip: readonly string[];
  readonly nft?: readonly string[];
}

/** From `inside`, in the namespace, to `port` of the fabric's bridge `bridge`. */
interface Cable {
  readonly inside: string;
  readonly port: string;
  readonly bridge: string;
}

export type World = Pick<Lab, 'fabric' | 'hub' | 'nodes' | 'segments'>;

export function fabricPlan(world: World): readonly Wiring[] {
  return [switches(world), controlPlane(world), ...world.segments.map(router), ...world.nodes.map((node) => nodeWiring(world, node))];
}

/** Switches have no addresses of their own: a link-local one on a segment would be a door into the node. */
const NO_IPV6 = { 'net/ipv6/conf/default/disable_ipv6': '1' } as const;

function switches({ fabric, segments }: World): Wiring {
  const bridges = [HUB_BRIDGE, ...segments.map((segment) => segment.bridge)];
  return { netns: fabric.netns, sysctl: NO_IPV6, cables: [], ip: bridges.flatMap(bridge) };
}

function controlPlane({ hub, nodes }: World): Wiring {
  return {
    netns: hub.netns,
    sysctl: {},
    cables: [{ inside: 'eth0', port: 'cp', bridge: HUB_BRIDGE }],
    ip: [
      `addr add ${hub.address}/${prefixLength(hub.nodeCidr)} dev eth0`,
      ...nodes.map((node) => `route add ${node.podCidr} via ${node.address}`),
    ],
  };
}

/** Leads nowhere: it is there because a segment has a router, and tenants configure it. */
function router({ cidr, ipv6, bridge: segmentBridge, router: { netns, address, interface: inside } }: Segment): Wiring {
  return {
    netns,
    sysctl: { 'net/ipv4/ip_forward': '1' },
    cables: [{ inside, port: `r-${segmentBridge}`, bridge: segmentBridge }],
    ip: [
      `addr add ${address}/${prefixLength(cidr)} dev ${inside}`,
      ...(ipv6 === undefined ? [] : [`addr add ${ipv6.router}/${prefixLength(ipv6.cidr)} dev ${inside} nodad`]),
    ],
  };
}

function nodeWiring({ hub, nodes, segments }: World, node: LabNode): Wiring {
  const bridges = segments.map((segment) => segment.bridge);
  const others = nodes.filter((other) => other.name !== node.name);
  return {
    netns: node.netns,
    sysctl: {
      ...NO_IPV6,
      'net/ipv4/ip_forward': '1',
      // Not for every bridge: the hub's filters and service rewriting have no business with what tenants say among themselves.
      'net/bridge/bridge-nf-call-iptables': '0',
      'net/bridge/bridge-nf-call-ip6tables': '0',
      'net/bridge/bridge-nf-call-arptables': '0',
    },
    cables: [
      { inside: 'eth0', port: node.name, bridge: HUB_BRIDGE },
      ...bridges.map((name) => ({ inside: uplink(name), port: `${node.name}-${name}`, bridge: name })),
    ],
    ip: [
      `addr add ${node.address}/${prefixLength(hub.nodeCidr)} dev eth0`,
      ...others.map((other) => `route add ${other.podCidr} via ${other.address}`),
      // A packet to a service is routed before kube-proxy rewrites it, and without any route it would not even start.
      `route add ${hub.serviceCidr} dev eth0`,
      ...bridge(POD_BRIDGE),
      // Policies and services between pods of one node: their frames are only bridged, so the filters must be asked for here.
      `link set ${POD_BRIDGE} type bridge nf_call_iptables 1`,
      `addr add ${firstAddress(node.podCidr)} dev ${POD_BRIDGE}`,
      ...bridges.flatMap((name) => [...bridge(name), `link set ${uplink(name)} master ${name}`]),
    ],
    nft: nobodyIsHome(bridges),
  };
}

/** A node carries the segments and is not on them: like an OVN localnet, unlike a bare Linux bridge, which answers ARP for any of its addresses. */
function nobodyIsHome(bridges: readonly string[]): readonly string[] {
  const set = `{ ${bridges.join(', ')} }`;
  return [
    'add table inet segments',
    'add chain inet segments arriving { type filter hook prerouting priority raw; }',
    `add rule inet segments arriving iifname ${set} drop`,
    'add table arp segments',
    'add chain arp segments arriving { type filter hook input priority filter; }',
    `add rule arp segments arriving iifname ${set} drop`,
  ];
}

const uplink = (bridgeName: string): string => `${bridgeName}-up`;

function bridge(name: string): readonly string[] {
  return [`link add ${name} type bridge forward_delay 0 mcast_snooping 0`, `link set ${name} up`];
}

const prefixLength = (cidr: string): string => cidr.slice(cidr.indexOf('/') + 1);
const firstAddress = (cidr: string): string => cidr.replace('.0/', '.1/');

/** Makes the namespaces and everything in them. All of it goes with the namespaces. */
export async function wire(lab: Lab): Promise<void> {
  const plan = fabricPlan(lab);
  await Promise.all(plan.map(async ({ netns }) => lab.addNetns(netns.slice(lab.name.length + 1))));
  // The switches first: the others plug into them.
  for (const wiring of plan) await wireOne(lab, wiring);
}

async function wireOne(lab: Lab, { netns, sysctl, cables, ip, nft }: Wiring): Promise<void> {
  const settings = Object.entries(sysctl).map(([key, value]) => `echo ${value} >/proc/sys/${key}`);
  if (settings.length > 0) await lab.run(['sh', '-ec', settings.join('\n')], { netns });
  const laid = cables.flatMap(({ inside, port }) => [
    `link add ${inside} type veth peer name ${port} netns ${lab.fabric.netns}`,
    `link set ${inside} up`,
  ]);
  await lab.run(['ip', '-n', netns, '-batch', '-'], { stdin: lines([...laid, ...ip]) });
  const plugs = cables.map(({ port, bridge: master }) => `link set ${port} master ${master} up`);
  if (plugs.length > 0) await lab.run(['ip', '-n', lab.fabric.netns, '-batch', '-'], { stdin: lines(plugs) });
  if (nft) await lab.run(['nft', '-f', '-'], { netns, stdin: lines(nft) });
}

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`;
