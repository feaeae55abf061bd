import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

/** What the pages promise a reader: that a link leads somewhere, and that a command which they show exists. */
const root = join(import.meta.dirname, '..');
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'deploy/README.md', 'src/kube/README.md', 'tools/README.md'].map((page) => join(root, page)),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(root, 'docs', file)),
];

const withoutCode = (text: string): string => text.replace(/```[\s\S]*?```/g, '').replace(/`[^`]*`/g, '');
const linksOf = (text: string): string[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target).filter((target) => !/^[a-z]+:/.test(target));
/** As GitHub makes them. */
const anchorsOf = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

test('every link leads to a file, and to a heading of it', () => {
  const broken = pages.flatMap((page) =>
    linksOf(readFileSync(page, 'utf8'))
      .filter((target) => {
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page : join(dirname(page), path);
        if (!existsSync(file)) return true;
        return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).includes(anchor);
      })
      .map((target) => `${relative(root, page)}: ${target}`),
  );
  expect(broken).toEqual([]);
});

test('every command of hcpio that a page shows exists', () => {
  const known = new Set(
    [...readFileSync(join(root, 'docs/reference/cli.md'), 'utf8').matchAll(/^## hcpio (\S+)$/gm)].map(([, name]) => name),
  );
  const shown = (page: string): string[] =>
    [...readFileSync(page, 'utf8').matchAll(/```[\s\S]*?```|`[^`]*`/g)].flatMap(([code]) =>
      [...code.matchAll(/(?<![-\w])hcpio ([a-z]+)\b/g)].map(([, name = '']) => name),
    );
  // The reference is generated, and its prose stands in a block.
  const written = pages.filter((page) => !page.includes('/reference/'));
  const unknown = written.flatMap((page) =>
    shown(page)
      .filter((name) => !known.has(name))
      .map((name) => `${relative(root, page)}: hcpio ${name}`),
  );
  expect(unknown).toEqual([]);
});
