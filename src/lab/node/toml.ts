/** Writes the part of TOML that containerd's configuration needs: tables, strings, numbers, booleans and lists of strings. */

export type TomlValue = string | number | boolean | readonly string[] | TomlTable;
export interface TomlTable {
  readonly [key: string]: TomlValue;
}

export function toToml(table: TomlTable, path: readonly string[] = []): string {
  const entries = Object.entries(table);
  const own = entries.flatMap(([key, value]) => (isTable(value) ? [] : [`${toKey(key)} = ${toValue(value)}`]));
  const below = entries.flatMap(([key, value]) => (isTable(value) ? [toToml(value, [...path, key])] : []));
  const header = path.length > 0 && (own.length > 0 || below.length === 0) ? [`[${path.map(toKey).join('.')}]`] : [];
  return [...header, ...own, ...below].join('\n');
}

function isTable(value: TomlValue): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value);
}

const toKey = (key: string): string => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key));

/** TOML's basic strings have JSON's escapes, and numbers, booleans and lists are written alike. */
const toValue = (value: Exclude<TomlValue, TomlTable>): string => JSON.stringify(value);
