/**
 * Corefile, keepalived.conf and nftables rules share one grammar: lines of words, and blocks of lines in braces. A renderer builds the tree;
 * only this file makes text of it. It refuses every word that could end its own line or block, open a comment or expand to something else.
 * Names and addresses have been judged long before: this is the last lock, and it does not trust the others.
 */
export interface Statement {
  readonly words: readonly Word[];
  readonly block?: readonly Statement[];
}

export type Word = string | number | Quoted | Braces;

interface Quoted {
  readonly quoted: string;
}

interface Braces {
  readonly members: readonly (string | number)[];
  readonly separator: ', ' | ' ';
}

export type Dialect = 'corefile' | 'keepalived' | 'nft';

/** A text with blanks, written in double quotes. */
export const quoted = (text: string): Quoted => ({ quoted: text });
/** `{ a, b }` inside a line: any of these. */
export const oneOf = (members: readonly (string | number)[]): Braces => ({ members, separator: ', ' });
/** `{ a b }` inside a line: one member of a set, described by several words. */
export const element = (...members: readonly (string | number)[]): Braces => ({ members, separator: ' ' });

/**
 * A line, written as it will look. The fixed text is cut into words at its blanks; what is inserted is always a word of its own, or several
 * in a list, whatever is in it. So this is a tree in the shape of a text, and nothing that is inserted becomes part of the grammar.
 */
export function line(fixed: TemplateStringsArray, ...inserted: readonly (Word | readonly Word[])[]): Statement {
  const words = fixed.flatMap((text, i): readonly Word[] => {
    if ((i > 0 && /^\S/.test(text)) || (i < inserted.length && /\S$/.test(text)))
      throw new Error(`${JSON.stringify(text)}: what is inserted is a word of its own`);
    const own = text.split(/\s+/).filter((word) => word !== '');
    return [...own, ...[inserted[i] ?? []].flat()];
  });
  return { words };
}

export const block = ({ words }: Statement, statements: readonly Statement[]): Statement => ({ words, block: statements });

export function writeStatements(statements: readonly Statement[], dialect: Dialect): string {
  return statements.map((statement) => write(statement, dialect, '')).join('');
}

const INDENT = '    ';

function write({ words, block: inner }: Statement, dialect: Dialect, indent: string): string {
  if (words.length === 0) throw new Error(`${dialect}: a statement needs at least one word`);
  const text = indent + words.map((word) => writeWord(word, dialect)).join(' ');
  if (inner === undefined) return `${text}\n`;
  return `${text} {\n${inner.map((statement) => write(statement, dialect, indent + INDENT)).join('')}${indent}}\n`;
}

function writeWord(word: Word, dialect: Dialect): string {
  if (typeof word === 'string' || typeof word === 'number') return bare(String(word), dialect);
  if ('quoted' in word) return inQuotes(word.quoted, dialect);
  if (word.members.length === 0) throw new Error(`${dialect}: braces need at least one member`);
  return `{ ${word.members.map((member) => bare(String(member), dialect)).join(word.separator)} }`;
}

/** Names, addresses, networks, ports, paths and durations. In two of the dialects `!`, `#`, `$`, `@` and `~` mean something of their own. */
const PLAIN = /^[A-Za-z0-9_.:/*[\]-]+$/;
const WORD: Readonly<Record<Dialect, RegExp>> = { corefile: PLAIN, keepalived: PLAIN, nft: /^(?:!=|@?[A-Za-z0-9_.:/*[\]-]+)$/ };
/** No quote, no backslash, nothing that is not printable. */
const QUOTABLE = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

function bare(text: string, dialect: Dialect): string {
  if (!WORD[dialect].test(text)) throw new Error(`${dialect}: ${JSON.stringify(text)} is not a word that may be written here`);
  return text;
}

function inQuotes(text: string, dialect: Dialect): string {
  if (!QUOTABLE.test(text)) throw new Error(`${dialect}: ${JSON.stringify(text)} cannot be written in quotes`);
  return `"${text}"`;
}
