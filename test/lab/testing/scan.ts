/** What answers a worker, port by port. */
import { join } from 'node:path';
import type { Lab } from '../../../src/lab/contract.ts';
import type { Found, Task } from '../programs/scan.ts';

const ROOT = join(import.meta.dirname, '../../..');

export const NODE_PORTS = [30_000, 32_767] as const;
/** DNS, etcd, every kind of API server, what pods of ours listen on, kubelets. */
export const TELLING = [
  [53, 53],
  [2379, 2380],
  [6400, 6500],
  [8000, 8100],
  [9900, 9910],
  [10_250, 10_260],
] as const;

export const scan = async (lab: Lab, netns: string, task: Task) =>
  JSON.parse(
    await lab.run([join(ROOT, 'node_modules/node/bin/node'), join(ROOT, 'test/lab/programs/scan.ts'), JSON.stringify(task)], { netns }),
  ) as Record<string, Found>;

export const silence = (addresses: readonly string[]): Record<string, Found> =>
  Object.fromEntries(addresses.map((address) => [address, { open: [], refused: [], udp: [] }]));

/** The leg on the segment: its device and MAC address. */
export async function legOf(lab: Lab, netns: string): Promise<{ readonly device: string; readonly mac: string }> {
  const links = JSON.parse(await lab.run(['ip', '-json', '-4', 'address'], { netns })) as readonly {
    readonly ifname: string;
    readonly addr_info: readonly { readonly local: string }[];
  }[];
  const device = links.find(({ addr_info }) => addr_info.some(({ local }) => local.startsWith('192.168.100.')))?.ifname ?? '';
  const [link] = JSON.parse(await lab.run(['ip', '-json', 'link', 'show', 'dev', device], { netns })) as [{ readonly address: string }];
  return { device, mac: link.address };
}
