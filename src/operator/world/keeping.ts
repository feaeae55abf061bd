/**
 * How objects are kept in memory. A thousand tenants are fifty thousand objects, each of which is looked at a few times a day:
 * kept as text it takes a third of the room, is compared in one step, and gives the garbage collector nothing to walk through.
 */
import type { WireObject } from '../../kube/object.ts';
import type { Stored } from '../../kube/store.ts';

export interface Keeping<T, Row extends Stored> {
  pack(object: WireObject): Row;
  unpack(row: Row): T;
  /** The same but for the version. */
  isSame(a: Row, b: Row): boolean;
}

/** The least that a projection keeps. */
export interface Identified {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly uid: string; readonly resourceVersion: string };
}

/** One object and not two: it is its own metadata. */
export class TextRow implements Stored {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Everything else, as JSON. */
  readonly text: string;

  constructor({ namespace, name, uid, resourceVersion }: Identified['metadata'], text: string) {
    this.namespace = namespace;
    this.name = name;
    this.uid = uid;
    this.resourceVersion = resourceVersion;
    this.text = text;
  }

  get metadata(): this {
    return this;
  }
}

/** For what is read now and then. What comes out is a copy, and belongs to whoever asked. */
export const asText = <T extends Identified>(project: (object: WireObject) => T): Keeping<T, TextRow> => ({
  pack(object) {
    const { metadata, ...rest } = project(object);
    const { namespace: _, name: __, uid: ___, resourceVersion: ____, ...more } = metadata;
    return new TextRow(metadata, JSON.stringify({ ...rest, metadata: more }));
  },
  unpack({ namespace, name, uid, resourceVersion, text }) {
    const value = JSON.parse(text) as T;
    Object.assign(value.metadata, { namespace, name, uid, resourceVersion });
    return value;
  },
  isSame: (a, b) => a.text === b.text && a.uid === b.uid,
});
