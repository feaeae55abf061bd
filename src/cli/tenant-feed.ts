/** Follows a tenant network of a lab: `hcpio status --watch` runs where the hub's API can be reached, and what it says is read here. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lab } from '../lab/contract.ts';
import type { TenantView } from './tenant-view.ts';

export const HCPIO = join(import.meta.dirname, '..', '..', 'bin', 'hcpio');
const PART = 'demo-status';

export class TenantFeed implements AsyncDisposable {
  readonly #lab: Lab;
  readonly #log: string;

  private constructor(lab: Lab, log: string) {
    this.#lab = lab;
    this.#log = log;
  }

  /** A part of the lab, so that it ends with it whatever happens to us. */
  static async open(lab: Lab, tenant: string): Promise<TenantFeed> {
    const argv = [HCPIO, 'status', tenant, '--kubeconfig', lab.hub.kubeconfig, '--watch', '--output', 'json'] as const;
    const { log } = await lab.spawn(PART, { netns: lab.hub.netns, argv });
    return new TenantFeed(lab, log);
  }

  /** The newest state; undefined before the first. A line may be half written. */
  async latest(): Promise<TenantView | undefined> {
    const lines = (await readFile(this.#log, 'utf8')).split('\n').slice(0, -1);
    const last = lines.at(-1);
    if (last === undefined) return undefined;
    if (!last.startsWith('{')) throw new Error(last);
    return JSON.parse(last) as TenantView;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lab.stop(PART);
  }
}
