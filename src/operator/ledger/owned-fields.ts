/**
 * Is what we applied still there as we applied it? The API server keeps the answer in every object: under our name in
 * `managedFields` stand the fields that nobody has changed since. Whoever writes another value to one of them, or removes
 * it, takes it from our list. So a list that still covers the whole intent proves, without reading a single value, that the
 * object is as intended; and it proves so after a restart too, when nobody remembers anything.
 */

/** The server's notation: `f:` a member, `k:` a list item by its keys, `v:` a set item by its value, `.` the thing itself. */
export interface FieldSet {
  readonly [member: string]: FieldSet;
}

export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: FieldSet;
}

/** Who an object is follows from where it is, so the server does not keep these by field. */
const IDENTITY = new Set(['apiVersion', 'kind', 'metadata']);
const IDENTITY_METADATA = new Set(['name', 'namespace', 'uid']);

/** The fields of the intent that are no longer ours, as paths that people can read. Empty: everything is as it was applied. */
export function lostFields(intent: object, owned: FieldSet): string[] {
  const { metadata } = intent as { readonly metadata?: object };
  const lost: string[] = [];
  for (const [name, value] of Object.entries(intent)) {
    if (!IDENTITY.has(name)) collect(value, owned[`f:${name}`], name, lost);
  }
  for (const [name, value] of Object.entries(metadata ?? {})) {
    if (!IDENTITY_METADATA.has(name)) collect(value, owned['f:metadata']?.[`f:${name}`], `metadata.${name}`, lost);
  }
  return lost;
}

function collect(value: unknown, owned: FieldSet | undefined, path: string, lost: string[]): void {
  // What says nothing cannot be lost; the server drops some of these on the way in.
  if (isEmpty(value)) return;
  if (owned === undefined) {
    lost.push(path);
    return;
  }
  // Nothing below it: a plain value, or a list or object that the server takes as one piece.
  if (typeof value !== 'object' || value === null || isOnePiece(owned)) return;
  if (!Array.isArray(value)) {
    for (const [name, member] of Object.entries(value)) collect(member, owned[`f:${name}`], `${path}${memberPath(name)}`, lost);
    return;
  }
  for (const item of value as readonly unknown[]) {
    const key = itemKey(item, owned);
    collect(item, key === undefined ? undefined : owned[key], `${path}[${key?.slice(2) ?? JSON.stringify(item)}]`, lost);
  }
}

/** Lists with keys name their items by them: `k:{"name":"dns"}`. A key that the intent leaves out has the server's default. */
function itemKey(item: unknown, owned: FieldSet): string | undefined {
  if (typeof item !== 'object' || item === null) return `v:${JSON.stringify(item)}`;
  return Object.keys(owned).find((name) => {
    if (!name.startsWith('k:')) return false;
    const keys = Object.entries(JSON.parse(name.slice(2)) as Record<string, unknown>);
    return keys.every(([key, value]) => {
      const given = (item as Record<string, unknown>)[key];
      return given === undefined || given === value;
    });
  });
}

const isOnePiece = (owned: FieldSet): boolean => Object.keys(owned).length === 0;

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

const memberPath = (name: string): string => (/^[\w-]+$/.test(name) ? `.${name}` : `[${name}]`);
