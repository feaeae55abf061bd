/** Which resource serves a kind: asked of the API server once per group and version. */
import { isNotFound } from './errors.ts';
import { apiVersionOf, groupVersion, groupVersionPath, type Resource } from './object.ts';
import { Refreshed } from './refreshed.ts';
import type { Transport } from './transport.ts';

interface ApiResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

/** No such kind on this server (its CRD is not installed, or not yet): worth asking again later, not at once. */
export class KindNotInstalled extends Error {
  override readonly name = 'KindNotInstalled';
  readonly apiVersion: string;
  readonly kind: string;

  constructor(apiVersion: string, kind: string) {
    super(`the API server has no kind ${kind} in ${apiVersion}`);
    this.apiVersion = apiVersion;
    this.kind = kind;
  }
}

/** How long "there is no such kind" is believed: short, because somebody may be installing the CRD right now. */
const ABSENCE_MS = 5_000;

interface Served {
  readonly kinds: ReadonlyMap<string, Resource>;
  readonly at: number;
}

export class Discovery {
  readonly #transport: Transport;
  readonly #known = new Map<string, Resource>();
  readonly #versions = new Map<string, Refreshed<Served>>();

  /** `known` spares the question for kinds that the program is written for. */
  constructor(transport: Transport, known: readonly Resource[] = []) {
    this.#transport = transport;
    for (const resource of known) this.#known.set(`${apiVersionOf(resource)} ${resource.kind}`, resource);
  }

  async resourceFor(apiVersion: string, kind: string, signal: AbortSignal): Promise<Resource> {
    const found = this.#known.get(`${apiVersion} ${kind}`) ?? (await this.#ask(apiVersion, kind, signal));
    if (found === undefined) throw new KindNotInstalled(apiVersion, kind);
    return found;
  }

  async #ask(apiVersion: string, kind: string, signal: AbortSignal): Promise<Resource | undefined> {
    const version = this.#versions.get(apiVersion) ?? this.#newVersion(apiVersion);
    const { kinds, at } = await version.get(signal);
    const found = kinds.get(kind);
    if (found !== undefined || this.#transport.clock.monotonic() - at < ABSENCE_MS) return found;
    version.invalidate();
    return (await version.get(signal)).kinds.get(kind);
  }

  #newVersion(apiVersion: string): Refreshed<Served> {
    const version = new Refreshed<Served>({
      clock: this.#transport.clock,
      freshForMs: () => Number.POSITIVE_INFINITY,
      load: async (signal) => ({ kinds: await this.#fetch(apiVersion, signal), at: this.#transport.clock.monotonic() }),
    });
    this.#versions.set(apiVersion, version);
    return version;
  }

  async #fetch(apiVersion: string, signal: AbortSignal): Promise<ReadonlyMap<string, Resource>> {
    const { group, version } = groupVersion(apiVersion);
    const found = new Map<string, Resource>();
    try {
      const { body } = await this.#transport.request<ApiResourceList>({ path: groupVersionPath({ group, version }) }, signal);
      for (const { name, kind, namespaced } of body.resources) {
        // `deployments/scale` is a way to reach a Deployment, not where Scales live.
        if (!name.includes('/')) found.set(kind, { group, version, plural: name, kind, namespaced });
      }
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return found;
  }
}
