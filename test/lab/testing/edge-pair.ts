/** The two edges of a tenant in the lab, as a test sees them: their pods, who has the VIP, and their leases. */
import type { Lab } from '../../../src/lab/contract.ts';
import { eventually } from './pods.ts';

export type Edge = 'edge-a' | 'edge-b';

export const otherEdge = (edge: Edge): Edge => (edge === 'edge-a' ? 'edge-b' : 'edge-a');

export class EdgePair {
  readonly #lab: Lab;
  readonly #namespace: string;
  readonly #vip: string;

  constructor(lab: Lab, namespace: string, vip: string) {
    this.#lab = lab;
    this.#namespace = namespace;
    this.#vip = vip;
  }

  exec(edge: Edge, container: string, ...command: readonly string[]): Promise<string> {
    return this.#lab.kubectl(['exec', `--namespace=${this.#namespace}`, `${edge}-0`, `--container=${container}`, '--', ...command]);
  }

  logs(edge: Edge, container: string): Promise<string> {
    return this.#lab.kubectl(['logs', `--namespace=${this.#namespace}`, `${edge}-0`, `--container=${container}`]);
  }

  async holdsVip(edge: Edge): Promise<boolean> {
    const addresses = await this.exec(edge, 'vip', 'ip', '-brief', 'address', 'show', 'dev', 'net1').catch(() => '');
    return addresses.includes(` ${this.#vip}/`);
  }

  /** The one of them that has it; while none or both say so, it is on its way. */
  async holder(): Promise<Edge> {
    const [isA] = await eventually(
      () => Promise.all([this.holdsVip('edge-a'), this.holdsVip('edge-b')]),
      ([a, b]) => a !== b,
    );
    return isA ? 'edge-a' : 'edge-b';
  }

  /** Empty while there is no such pod. */
  field(edge: Edge, path: string): Promise<string> {
    return this.#lab.kubectl(['get', 'pod', `${edge}-0`, `--namespace=${this.#namespace}`, `--output=jsonpath=${path}`]).catch(() => '');
  }

  uid(edge: Edge): Promise<string> {
    return this.field(edge, '{.metadata.uid}');
  }

  /** The edges whose pods are ready at this moment. */
  async ready(): Promise<readonly Edge[]> {
    const path = '{range .items[*]}{.metadata.name}={.status.conditions[?(@.type=="Ready")].status} {end}';
    const edges = ['--selector=app.kubernetes.io/name=hcpio-edge', `--namespace=${this.#namespace}`];
    const all = await this.#lab.kubectl(['get', 'pods', ...edges, `--output=jsonpath=${path}`]);
    return (['edge-a', 'edge-b'] as const).filter((edge) => all.split(' ').includes(`${edge}-0=True`));
  }

  /** Every lease that an edge has: which MAC has which address. */
  async leases(edge: Edge): Promise<readonly string[]> {
    const text = await this.exec(edge, 'dhcp', 'cat', '/var/lib/kea/kea-dhcp4.leases.csv');
    const rows = text.split('\n').filter((row) => /^\d/.test(row));
    // The file is a journal: the last line about an address counts, and a lease without a lifetime is one that was deleted.
    const last = new Map(rows.map((row) => row.split(',')).map((fields) => [fields[0] ?? '', fields] as const));
    return [...last.values()]
      .filter((fields) => fields[3] !== '0')
      .map((fields) => `${fields[0]} ${fields[1]}`)
      .sort();
  }

  /** How often each pod has taken the VIP since it was made. One that is not there has not. */
  async takeovers(): Promise<ReadonlyMap<string, number>> {
    const counts = (['edge-a', 'edge-b'] as const).map(async (edge) => {
      const log = await this.logs(edge, 'vip').catch(() => '');
      return [await this.uid(edge), log.split('Entering MASTER STATE').length - 1] as const;
    });
    return new Map(await Promise.all(counts));
  }

  /** How often the VIP was taken since. A pod that was made anew begins at nothing. */
  async takeoversSince(before: ReadonlyMap<string, number>): Promise<number> {
    return [...(await this.takeovers())].reduce((sum, [uid, count]) => sum + count - (before.get(uid) ?? 0), 0);
  }

  /** What the two Keas are to each other. */
  haStates(): Promise<readonly string[]> {
    return Promise.all(
      (['edge-a', 'edge-b'] as const).map(
        async (edge) =>
          [...(await this.logs(edge, 'dhcp').catch(() => '')).matchAll(/HA_STATE_TRANSITION.* to ([A-Z-]+) state/g)].at(-1)?.[1] ?? '',
      ),
    );
  }
}

/** What the operator did to the edges of its tenants since, in order. */
export async function deedsSince(lab: Lab, since: number): Promise<readonly string[]> {
  const { items } = JSON.parse(await lab.kubectl(['get', 'events.events.k8s.io', '--namespace=clusters', '--output=json'])) as {
    readonly items: readonly { readonly reason: string; readonly note: string; readonly eventTime: string }[];
  };
  return items
    .filter(({ reason, eventTime }) => ['EdgeRolled', 'VipMoved'].includes(reason) && Date.parse(eventTime) >= since)
    .sort((one, other) => (one.eventTime < other.eventTime ? -1 : 1))
    .map(({ reason, note }) => `${reason} ${/edge-[ab]/.exec(note)?.[0]}`);
}
