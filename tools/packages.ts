import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { DebianPackage } from './tool.ts';

/** Those whose command or file this machine lacks. What counts is that it is there, not that Debian brought it. */
export function missingPackages(wanted: readonly DebianPackage[]): readonly string[] {
  const missing = wanted.filter(({ brings }) => !isPresent(brings));
  return [...new Set(missing.map((entry) => entry.package))].sort();
}

function isPresent(brings: string): boolean {
  if (isAbsolute(brings)) return isAccessible(brings, constants.F_OK);
  // Daemons and network tools live in sbin, which is not on everybody's PATH.
  const dirs = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];
  return dirs.some((dir) => isAccessible(join(dir, brings), constants.X_OK));
}

function isAccessible(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Installs the packages, or throws one line with the command that would. */
export function installPackages(packages: readonly string[]): void {
  const apt = ['apt-get', '-o', 'DPkg::Lock::Timeout=300', '-qq'];
  const steps = [
    [...apt, 'update'],
    [...apt, 'install', '--yes', '--no-install-recommends', ...packages],
  ];
  const command = `apt-get install --no-install-recommends ${packages.join(' ')}`;
  if (process.getuid?.() !== 0) throw new Error(`missing Debian packages; as root run: ${command}`);
  for (const [file = '', ...args] of steps) {
    const result = spawnSync(file, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
    if (result.status !== 0) throw new Error(`${command} failed: ${result.stderr?.toString().trim() ?? String(result.error)}`);
  }
}
