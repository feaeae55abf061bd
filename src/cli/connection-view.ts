/** The connections of a tenant as the gateways wrote them down, with whose they were. Pure; `-o json` prints it, keep it stable. */
import { type AccessLine, hostOf, readAccessLine } from './access-log.ts';
import type { NameOf } from './connection-names.ts';

/** The line of the gateway as it is, and what only the hub knows. */
export type Connection = AccessLine & {
  readonly edge: string;
  /** The VM that had the address then; null when no machine is known that had. */
  readonly machine: string | null;
};

/** Undefined for what else stands in the log. */
export function connectionOf(edge: string, said: string, nameOf: NameOf): Connection | undefined {
  const line = readAccessLine(said);
  return line && { edge, machine: nameOf(hostOf(line.client), line.start) ?? null, ...line };
}

/** Each connection once, oldest first: as it ended, or as it was made while it has not. */
export function onceEach(all: readonly Connection[]): readonly Connection[] {
  const last = new Map<string, Connection>();
  // A gateway that starts again counts from the beginning, so the number alone names nothing.
  for (const [index, each] of all.entries())
    last.set(each.connection === undefined ? `#${index}` : `${each.edge} ${each.connection} ${each.start}`, each);
  return [...last.values()].toSorted((a, b) => Date.parse(a.start) - Date.parse(b.start));
}
