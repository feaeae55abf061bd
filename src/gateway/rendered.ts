import type { Station } from './tenant-plan.ts';

/** The containers of an edge's or the prober's pod that read a configuration; each gets a ConfigMap `<edge>-<container>`, mounted at `/etc/hcpio/<container>`. */
export type Container = 'guard' | 'dhcp' | 'dns' | 'gateway' | 'vip' | 'probes';

export const configDir = (container: Container): string => `/etc/hcpio/${container}`;

/** One file as the pod will see it. The name is a ConfigMap key, so it has no directories. */
export interface ConfigFile {
  readonly container: Container;
  readonly name: string;
  readonly content: string;
}

export interface EdgeFiles {
  readonly edge: Station['name'];
  readonly files: readonly ConfigFile[];
}

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** All that a tenant needs on the hub, in the order in which it can be applied, and the daemons' files on their own for reading and checking. */
export interface Rendered {
  readonly manifests: readonly KubeObject[];
  readonly files: readonly EdgeFiles[];
}
