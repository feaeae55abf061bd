import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BuildFailed, cacheDir, cacheRoot, ensure } from './cache.ts';
import type { BuildContext, Tool } from './tool.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hcpio-cache-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const signal = new AbortController().signal;

function tool(build: (context: BuildContext) => Promise<void>): Tool {
  return { name: 'hammer', version: '1.0', outputs: { hammer: 'bin/hammer' }, recipe: { inputs: [], settings: {}, packages: [], build } };
}

const forged = tool(async ({ out }) => {
  mkdirSync(join(out, 'bin'));
  writeFileSync(join(out, 'bin', 'hammer'), 'iron');
});

const attempts = () => readdirSync(join(root, '.work')).filter((entry) => entry.includes('.attempt-'));

test('a tool is built once and then found', async () => {
  const first = await ensure(forged, signal, root);
  const second = await ensure(forged, signal, root);
  expect([first, second]).toEqual([
    { dir: cacheDir(forged, root), how: 'built' },
    { dir: cacheDir(forged, root), how: 'cached' },
  ]);
  expect(readFileSync(join(first.dir, 'bin', 'hammer'), 'utf8')).toBe('iron');
  expect(attempts()).toEqual([]);
});

test('two who want the same tool at once get one build', async () => {
  let builds = 0;
  const counted = tool(async (context) => {
    builds += 1;
    await forged.recipe.build(context);
  });
  const results = await Promise.all([ensure(counted, signal, root), ensure(counted, signal, root)]);
  expect(builds).toBe(1);
  expect(results.map(({ how }) => how).sort()).toEqual(['built', 'cached']);
});

test('a failed build leaves nothing but its log, and the next one may succeed', async () => {
  const broken = tool(async ({ out, run }) => {
    mkdirSync(join(out, 'bin'));
    await run(['sh', '-c', 'echo the fire went out >&2; exit 3']);
  });
  const failure = await ensure(broken, signal, root).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(BuildFailed);
  expect((failure as BuildFailed).message).toBe('hammer 1.0: sh ended with 3');
  expect(readFileSync((failure as BuildFailed).log, 'utf8')).toContain('the fire went out');
  expect([existsSync(cacheDir(broken, root)), attempts()]).toEqual([false, []]);
  expect((await ensure(forged, signal, root)).how).toBe('built');
});

test('a build that does not make what it promised is a failed build', async () => {
  const forgetful = tool(async () => {});
  await expect(ensure(forgetful, signal, root)).rejects.toThrow(/bin\/hammer/);
  expect(existsSync(cacheDir(forgetful, root))).toBe(false);
});

test('a cancelled build stops its command and leaves nothing', async () => {
  const cancel = new AbortController();
  const endless = tool(async ({ run }) => {
    const running = run(['sleep', '1000']);
    cancel.abort();
    await running;
  });
  await expect(ensure(endless, cancel.signal, root)).rejects.toThrow('aborted');
  expect([existsSync(cacheDir(endless, root)), attempts()]).toEqual([false, []]);
});

test('after kill -9 in the middle of a build the next one goes ahead at once and clears up', async () => {
  const script = join(root, 'victim.ts');
  writeFileSync(
    script,
    `import { ensure } from ${JSON.stringify(join(import.meta.dirname, 'cache.ts'))};
     const build = async ({ out, signal }) => { console.log(out); await new Promise((resolve) => setInterval(resolve, 1 << 30)); };
     const recipe = { inputs: [], settings: {}, packages: [], build };
     await ensure({ name: 'hammer', version: '1.0', outputs: { hammer: 'bin/hammer' }, recipe }, new AbortController().signal, ${JSON.stringify(root)});`,
  );
  const victim = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [out] = (await once(victim.stdout, 'data')) as [Buffer];
  expect(attempts()).toHaveLength(1);
  const rival = ensure(forged, signal, root);
  victim.kill('SIGKILL');
  expect((await rival).how).toBe('built');
  expect([existsSync(out.toString().trim()), attempts()]).toEqual([false, []]);
});

test('the cache is in the home directory unless HCPIO_CACHE says otherwise', () => {
  expect([cacheRoot({ HCPIO_CACHE: '/elsewhere' }), cacheRoot({}).endsWith('/.cache/hcpio')]).toEqual(['/elsewhere', true]);
});
