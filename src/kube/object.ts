/** The little that the runtime must know of any Kubernetes object, and how objects are named and addressed. */

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
}

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** An object as it came off the wire: everything beyond the metadata is unknown until somebody looks. */
export interface WireObject extends KubeObject {
  readonly [field: string]: unknown;
}

/** A resource type of the API: what the URL needs (plural) and what the objects say (kind). */
export interface Resource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Which object: enough to address it once the resource of its kind is known. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** `namespace/name`, or `name` for what lives in no namespace. The currency of stores and queues. */
export type Key = string;

export function keyOf(meta: { readonly namespace?: string; readonly name: string }): Key {
  // Joined and not a template: that would be a rope, which stays in memory beside the flat key that maps make of it.
  return meta.namespace ? [meta.namespace, meta.name].join('/') : meta.name;
}

export function splitKey(key: Key): { readonly namespace?: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

export function refOf(object: KubeObject): ObjectRef {
  const { name, namespace } = object.metadata;
  return { apiVersion: object.apiVersion, kind: object.kind, name, ...(namespace ? { namespace } : {}) };
}

/** One string per object of the whole cluster, for maps and messages: `apps/v1 Deployment web/front`. */
export function refText(ref: ObjectRef): string {
  return `${ref.apiVersion} ${ref.kind} ${keyOf(ref)}`;
}

/** As `refText` without the version: an object keeps its identity when it is read through another version of its API. */
export function identityOf(ref: ObjectRef): string {
  const { group } = groupVersion(ref.apiVersion);
  return `${ref.kind}${group ? `.${group}` : ''} ${keyOf(ref)}`;
}

export function apiVersionOf(resource: { readonly group: string; readonly version: string }): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

export function groupVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? { group: '', version: apiVersion } : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

export function groupVersionPath(resource: { readonly group: string; readonly version: string }): string {
  return resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
}

/** The URL path of a collection, or of one object when a name is given, or of its subresource. */
export function resourcePath(resource: Resource, namespace?: string, name?: string, subresource?: string): string {
  if (name !== undefined && resource.namespaced && !namespace) {
    throw new TypeError(`${resource.kind} ${name} lives in a namespace, and none was given`);
  }
  const parts = [groupVersionPath(resource)];
  if (resource.namespaced && namespace) parts.push('namespaces', encodeURIComponent(namespace));
  parts.push(resource.plural);
  if (name !== undefined) parts.push(encodeURIComponent(name));
  if (subresource !== undefined) parts.push(subresource);
  return parts.join('/');
}

/**
 * Orders two resource versions of one resource type. They are decimal numbers that grow (promised by the API since 1.35,
 * true for every etcd-backed server before); they outgrow doubles in principle, so they are compared as text.
 */
export function compareResourceVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The object with the kind it has. The items of a list come without one, and metadata-only answers call everything
 * PartialObjectMetadata.
 */
export function withKind(object: WireObject, resource: Resource): WireObject {
  return object.kind === resource.kind ? object : { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind };
}
