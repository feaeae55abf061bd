import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigFile } from '../../src/gateway/rendered.ts';

/** A directory that changes the way kubelet changes the volume of a ConfigMap: the link `..data` is swapped first, links to new files come after. */
export class ConfigMapVolume {
  readonly #dir: string;
  #versions = 0;

  constructor(dir: string) {
    this.#dir = dir;
  }

  swap(files: readonly Pick<ConfigFile, 'name' | 'content'>[]): void {
    const version = `..v${++this.#versions}`;
    mkdirSync(join(this.#dir, version), { recursive: true });
    for (const { name, content } of files) writeFileSync(join(this.#dir, version, name), content);
    symlinkSync(version, join(this.#dir, '..data_tmp'));
    renameSync(join(this.#dir, '..data_tmp'), join(this.#dir, '..data'));
    const names = new Set(files.map((file) => file.name));
    const links = new Set(readdirSync(this.#dir).filter((entry) => !entry.startsWith('..')));
    for (const name of names.difference(links)) symlinkSync(join('..data', name), join(this.#dir, name));
    for (const link of links.difference(names)) rmSync(join(this.#dir, link));
  }
}
