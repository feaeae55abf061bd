/** Where everything of a lab is and what it is called: a pure function of the lab's name and size. */
import { join } from 'node:path';
import type { Hub, LabNode, LabOptions, Segment } from './contract.ts';

export const STATE_ROOT = '/var/lib/hcpio-lab';
export const LOG_ROOT = '/var/log/hcpio-lab';

/** No dash: "a-b" with namespace "c" and "a" with namespace "b-c" would be one name. Short: unix socket paths end at 107 characters. */
const NAME = /^[a-z][a-z0-9]{0,15}$/;
/** One pod network, one address and one interface name each; more nodes than letters make no sense on one machine. */
const MAX_NODES = 20;

export interface Layout {
  readonly dir: string;
  readonly hub: Hub;
  readonly nodes: readonly LabNode[];
  readonly fabric: { readonly netns: string };
  readonly segments: readonly Segment[];
}

/** OpenShift's own defaults for pods and services, so that the checks of hcpio see what they would see there. */
const HUB = {
  address: '10.90.0.10',
  nodeCidr: '10.90.0.0/24',
  podCidr: '10.128.0.0/14',
  serviceCidr: '172.30.0.0/16',
  dns: '172.30.0.10',
} as const;

const SEGMENTS = [
  { vlan: 100, prefix: '192.168.100' },
  { vlan: 200, prefix: '192.168.200' },
  // Of the range for examples: not private, so that clients prefer it to IPv4 (RFC 6724) and what is shown over IPv6 is shown over IPv6.
  { vlan: 300, prefix: '192.168.30', ipv6: '2001:db8:30::' },
] as const satisfies readonly { readonly vlan: number; readonly prefix: string; readonly ipv6?: string }[];

export function checkName(name: string): void {
  if (!NAME.test(name)) throw new Error(`"${name}" cannot name a lab: up to 16 lower-case letters and digits, a letter first`);
}

export function layoutOf({ name, nodes }: Pick<LabOptions, 'name' | 'nodes'>): Layout {
  checkName(name);
  if (!Number.isInteger(nodes) || nodes < 0 || nodes > MAX_NODES) throw new Error(`a lab has 0 to ${MAX_NODES} nodes, not ${nodes}`);
  const dir = join(STATE_ROOT, name);
  const segments = SEGMENTS.map((segment) => segmentOf(name, segment));
  return {
    dir,
    hub: hubOf(name, dir),
    nodes: Array.from({ length: nodes }, (_, index) => nodeOf(name, dir, index, segments)),
    fabric: { netns: `${name}-fab` },
    segments,
  };
}

function hubOf(name: string, dir: string): Hub {
  return {
    ...HUB,
    apiUrl: `https://${HUB.address}:6443`,
    kubeconfig: join(dir, 'hub.kubeconfig'),
    ca: { cert: join(dir, 'pki', 'ca.crt'), key: join(dir, 'pki', 'ca.key') },
    netns: `${name}-hub-cp`,
  };
}

function nodeOf(lab: string, labDir: string, index: number, segments: readonly Segment[]): LabNode {
  const name = `hub-${String.fromCharCode('a'.charCodeAt(0) + index)}`;
  const dir = join(labDir, 'nodes', name);
  return {
    name,
    netns: `${lab}-${name}`,
    address: `10.90.0.${11 + index}`,
    podCidr: `10.128.${index}.0/24`,
    // The node sees it as /run/containerd/containerd.sock.
    containerd: { socket: join(dir, 'run', 'containerd', 'containerd.sock'), namespace: 'k8s.io' },
    dir,
    bridges: Object.fromEntries(segments.map((segment) => [segment.name, segment.bridge])),
  };
}

function segmentOf(lab: string, { vlan, prefix, ...more }: (typeof SEGMENTS)[number]): Segment {
  return {
    name: `vlan${vlan}`,
    bridge: `br${vlan}`,
    cidr: `${prefix}.0/24`,
    router: { netns: `${lab}-router-vlan${vlan}`, address: `${prefix}.1`, interface: 'vlan0' },
    ...('ipv6' in more ? { ipv6: { cidr: `${more.ipv6}/64`, router: `${more.ipv6}1` } } : {}),
  };
}
