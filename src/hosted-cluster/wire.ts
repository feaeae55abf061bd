import type { Nad } from './objects.ts';

/**
 * Which layer 2 an attachment leads to, in one line: two attachments of one bridge and VLAN are one segment, whatever their names.
 * An attachment that cannot be read is a segment of its own; what is wrong with it is told elsewhere.
 */
export function wireOf(nad: Nad): string {
  const config = firstPlugin(nad.spec.config);
  const vlan = (value: unknown): string => (typeof value === 'number' && value > 0 ? ` vlan ${value}` : '');
  if (typeof config['bridge'] === 'string') return `bridge ${config['bridge']}${vlan(config['vlan'])}`;
  if (config['type'] === 'macvlan' && typeof config['master'] === 'string') return `macvlan ${config['master']}`;
  if (config['type'] === 'ovn-k8s-cni-overlay') {
    const network = config['physicalNetworkName'] ?? config['name'];
    if (typeof network === 'string') return `localnet ${network}${vlan(config['vlanID'])}`;
  }
  return `attachment ${nad.metadata.namespace}/${nad.metadata.name}`;
}

type Config = Readonly<Record<string, unknown>>;

function firstPlugin(text: string): Config {
  const config = parse(text);
  const plugins = config['plugins'];
  const first: unknown = Array.isArray(plugins) ? plugins[0] : undefined;
  return isConfig(first) ? { name: config['name'], ...first } : config;
}

function parse(text: string): Config {
  try {
    const value: unknown = JSON.parse(text);
    return isConfig(value) ? value : {};
  } catch {
    return {};
  }
}

const isConfig = (value: unknown): value is Config => typeof value === 'object' && value !== null && !Array.isArray(value);
