/**
 * How objects are kept in memory. A thousand tenants are fifty thousand objects, each of which is looked at a few times a day:
 * kept as condensed text it takes a tenth of the room, is compared in one step, and gives the garbage collector nothing to walk through.
 */
import type { WireObject } from '../../kube/object.ts';
import type { Stored } from '../../kube/store.ts';
import { type Condensed, Condenser, isSameText, uncondensed } from './condensed.ts';
import { endOfId, packId, UUID, unpackId } from './packed-id.ts';

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
export class TextRow implements Stored, Condensed {
  readonly namespace: string;
  readonly name: string;
  /** The uid, and the version after it. */
  readonly version: string;
  /** Everything else, as JSON. */
  readonly packed: string;
  readonly example: string;

  constructor({ namespace, name, uid, resourceVersion }: Identified['metadata'], { packed, example }: Condensed) {
    this.namespace = namespace;
    this.name = name;
    this.version = [packId(uid, UUID), resourceVersion].join('');
    this.packed = packed;
    this.example = example;
  }

  get metadata(): this {
    return this;
  }

  get uid(): string {
    return unpackId(this.version, UUID);
  }

  get resourceVersion(): string {
    return this.version.slice(endOfId(this.version));
  }
}

/** For what is read now and then. What comes out is a copy, and belongs to whoever asked. */
export function asText<T extends Identified>(project: (object: WireObject) => T): Keeping<T, TextRow> {
  const condenser = new Condenser();
  return {
    pack(object) {
      const { metadata, ...rest } = project(object);
      const { namespace: _, name: __, uid: ___, resourceVersion: ____, ...more } = metadata;
      return new TextRow(metadata, condenser.pack(JSON.stringify({ ...rest, metadata: more })));
    },
    unpack(row) {
      const value = JSON.parse(uncondensed(row)) as T;
      const { namespace, name, uid, resourceVersion } = row;
      Object.assign(value.metadata, { namespace, name, uid, resourceVersion });
      return value;
    },
    isSame: (a, b) => isSameText(a, b) && a.uid === b.uid,
  };
}
