import type { KubeObject, Rendered } from '../gateway/rendered.ts';
import { renderTenant, type TenantRenderOptions } from '../tenant/render.ts';
import type { FileTree } from './out-directory.ts';
import type { PlannedTenant } from './tenants.ts';
import { toYaml } from './yaml-text.ts';

/** The files of one tenant; or of several, each below its namespace and name, joined by a kustomization. */
export function renderedFiles(tenants: readonly PlannedTenant[], options: TenantRenderOptions): FileTree {
  const rendered = tenants.map(({ plan, observed }) => ({ directory: plan.tenant, ...renderTenant(plan, observed, options) }));
  const [only] = rendered;
  return rendered.length === 1 && only ? tenantFiles(only) : severalTenants(rendered);
}

type RenderedTenant = Rendered & { readonly directory: string };

/** kustomize takes no object twice, so what all tenants need alike (the SCC and its role) has a directory of its own. */
export function severalTenants(tenants: readonly RenderedTenant[]): FileTree {
  const objects = Map.groupBy(
    tenants.flatMap(({ manifests }) => manifests),
    identity,
  );
  const shared = new Map([...objects].flatMap(([name, [first, ...more]]) => (first && more.length > 0 ? [[name, first] as const] : [])));
  const trees = [
    ...(shared.size === 0 ? [] : [{ directory: 'shared', tree: tenantFiles({ manifests: [...shared.values()], files: [] }) }]),
    ...tenants.map(({ directory, manifests, files }) => ({
      directory,
      tree: tenantFiles({ manifests: manifests.filter((object) => !shared.has(identity(object))), files }),
    })),
  ];
  return new Map([
    ['kustomization.yaml', kustomization(trees.map(({ directory }) => directory))],
    ...trees.flatMap(({ directory, tree }) => [...tree].map(([path, content]): [string, string] => [`${directory}/${path}`, content])),
  ]);
}

export function tenantFiles(rendered: Rendered): FileTree {
  const manifests = rendered.manifests.map((object, index): [string, string] => [manifestPath(object, index), toYaml(object)]);
  const configs = rendered.files.flatMap(({ edge, files }) =>
    files.map((file): [string, string] => [`configs/${edge}/${file.container}/${file.name}`, file.content]),
  );
  return new Map([['kustomization.yaml', kustomization(manifests.map(([path]) => path))], ...manifests, ...configs]);
}

const identity = ({ apiVersion, kind, metadata }: KubeObject): string =>
  [apiVersion, kind, metadata.namespace ?? '', metadata.name].join(' ');

/** Numbered, so that a plain `kubectl apply -f manifests/` keeps the order, too. A namespace tells apart what is named alike. */
const manifestPath = ({ kind, metadata }: KubeObject, index: number): string =>
  `manifests/${String(index + 1).padStart(2, '0')}-${kind.toLowerCase()}-${[metadata.namespace, metadata.name]
    .filter(Boolean)
    .join('-')
    .replaceAll(/[^-.a-z0-9]/g, '-')}.yaml`;

const kustomization = (resources: readonly string[]): string =>
  toYaml({ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources });
