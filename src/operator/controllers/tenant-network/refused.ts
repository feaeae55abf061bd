/** An object of the plan that cannot be made, in words. */
import { type ObjectRef, refText } from '../../../kube/object.ts';
import type { Refusal } from '../../../kube/refusal.ts';
import { OWN_OBJECTS } from '../../ledger/ledger.ts';

export type Refused =
  /** By the API server. */
  | { readonly ref: ObjectRef; readonly refusal: Refusal }
  /** By ourselves: somebody else made one of that name. */
  | { readonly ref: ObjectRef; readonly maker: string };

export const refusedText = (one: Refused): string =>
  'maker' in one
    ? `${refText(one.ref)} is there already, made by somebody else (${one.maker}), and is left alone`
    : `the API server does not take ${refText(one.ref)}: ${one.refusal.message}`;

/** What to do, where that is known better than in general. */
export function refusedStep(one: Refused): string | undefined {
  if (!('maker' in one)) return undefined;
  const { kind, namespace, name } = one.ref;
  const object = `${kind.toLowerCase()}${namespace ? ` -n ${namespace}` : ''} ${name}`;
  return `To do: delete it, or hand it over: kubectl label ${object} ${OWN_OBJECTS}`;
}
