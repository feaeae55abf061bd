import fc from 'fast-check';
import { expect, test } from 'vitest';
import { block, type Dialect, element, line, oneOf, quoted, writeStatements } from './block-config.ts';

const dialects: readonly Dialect[] = ['corefile', 'keepalived', 'nft'];

test('blocks are indented, words are separated by one blank, and every line ends', () => {
  const rule = line`tcp dport ${oneOf([80, 443])} add ${element('ip', 'saddr')}`;
  const tree = [line`add table`, block(line`chain ${'input'}`, [rule, block(line`inner`, [line`comment ${quoted('two words')}`])])];
  expect(writeStatements(tree, 'nft')).toBe(
    'add table\nchain input {\n    tcp dport { 80, 443 } add { ip saddr }\n    inner {\n        comment "two words"\n    }\n}\n',
  );
});

test('a list of words is inserted as words, and an empty one as nothing', () => {
  expect(line`bind ${['192.168.100.2', 'fd00::2']} ${[]} last`).toEqual({ words: ['bind', '192.168.100.2', 'fd00::2', 'last'] });
});

test('what is inserted is never glued to the fixed text', () => {
  expect(() => line`name.${'zone'}`).toThrow('a word of its own');
  expect(() => line`${'name'}:53`).toThrow('a word of its own');
});

const hostile = [
  ' ',
  '\t',
  '\n',
  '\r',
  '"',
  "'",
  '`',
  '{',
  '}',
  ';',
  '#',
  '$',
  '~',
  '\\',
  '(',
  ')',
  '|',
  '&',
  '<',
  '>',
  ',',
  '\u0000',
  '\u00a0',
  'é',
];

test.each(dialects)('%s: a word that could leave its place is refused, wherever the character stands', (dialect) => {
  for (const character of hostile) {
    for (const word of [character, `a${character}`, `${character}a`, `a${character}a`]) {
      for (const statement of [
        line`name ${word}`,
        line`name ${oneOf(['a', word])}`,
        line`name ${element('a', word)}`,
        block(line`${word}`, []),
      ]) {
        expect(() => writeStatements([statement], dialect), JSON.stringify(word)).toThrow('is not a word that may be written here');
      }
    }
  }
});

test('comments of keepalived and its conditional lines cannot be opened by a word', () => {
  for (const word of ['!comment', '@other', 'a@b']) expect(() => writeStatements([line`${word}`], 'keepalived')).toThrow('is not a word');
});

test.each(dialects)('%s: a text that could leave its quotes is refused', (dialect) => {
  for (const text of ['', 'a"b', 'a\\', 'a\nb', 'a\u0000b', 'é']) {
    expect(() => writeStatements([line`${quoted(text)}`], dialect)).toThrow('cannot be written in quotes');
  }
});

test('a line without words and braces without members are mistakes of ours, not text', () => {
  expect(() => writeStatements([line``], 'nft')).toThrow('at least one word');
  expect(() => writeStatements([line`${oneOf([])}`], 'nft')).toThrow('at least one member');
});

test.each(dialects)('%s: whatever text is inserted, it is refused or comes back as exactly that word', (dialect) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      let written: string;
      try {
        written = writeStatements([line`first ${text} last`], dialect);
      } catch {
        return;
      }
      expect(written.trimEnd().split(/\s/u)).toEqual(['first', text, 'last']);
    }),
  );
});
