import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** A directory for one test; `using` takes it away again. */
export class Scratch implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'hcpio-test-'));

  constructor(files: Readonly<Record<string, string | Uint8Array>> = {}) {
    for (const [name, content] of Object.entries(files)) this.write(name, content);
  }

  write(name: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), content);
  }

  at(name: string): string {
    return join(this.path, name);
  }

  /** Every file below, with its content. */
  files(): Record<string, string> {
    const entries = readdirSync(this.path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = entries.map((entry) => relative(this.path, join(entry.parentPath, entry.name))).sort();
    return Object.fromEntries(paths.map((path) => [path, readFileSync(this.at(path), 'utf8')]));
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
