/** `make lab` as on a new machine: a clone of what is committed, nothing built, nothing downloaded. Packages of the distribution that are installed stay installed. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Build {
  readonly what: string;
  readonly seconds: number;
}

export interface ColdBuild {
  readonly seconds: number;
  readonly builds: readonly Build[];
}

export async function buildCold(checkout: string): Promise<ColdBuild> {
  const caches = await mkdtemp(join(tmpdir(), 'hcpio-cold-'));
  const clone = join(caches, 'clone');
  execFileSync('git', ['clone', '--quiet', checkout, clone]);
  const since = performance.now();
  try {
    const builds = await make(clone, {
      HCPIO_CACHE: join(caches, 'hcpio'),
      GOCACHE: join(caches, 'go-build'),
      GOMODCACHE: join(caches, 'go-mod'),
      PIP_CACHE_DIR: join(caches, 'pip'),
      npm_config_cache: join(caches, 'npm'),
    });
    return { seconds: (performance.now() - since) / 1000, builds };
  } finally {
    await rm(caches, { recursive: true, force: true });
  }
}

/** Its lines `NAME ... 12.3 s` are the figures; all are shown as they come. */
function make(checkout: string, env: Readonly<Record<string, string>>): Promise<readonly Build[]> {
  const child = spawn('make', ['lab'], { cwd: checkout, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  const builds: Build[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    process.stdout.write(`${line}\n`);
    const [, what, seconds] = /^(\S.*?) {2,}.*?([\d.]+) s$/.exec(line) ?? [];
    if (what !== undefined && seconds !== undefined) builds.push({ what, seconds: Number(seconds) });
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(builds) : reject(new Error(`make lab ended with ${code}`))));
  });
}
