/** KVM when a guest really boots with it: there are machines where the device opens and guests then hang. */
import { access, constants, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lab } from '../contract.ts';

export type Accelerator = 'kvm' | 'tcg';

/** Without a root the kernel panics, reboots, and `-no-reboot` ends QEMU: two seconds where KVM works. */
const TRIAL_MS = 10_000;

/** Tried once per lab and remembered there. */
export async function accelerator(lab: Lab, kernel: string, signal: AbortSignal): Promise<Accelerator> {
  const memory = join(lab.dir, 'workers', 'accelerator');
  const known = await readFile(memory, 'utf8').catch(() => undefined);
  if (known === 'kvm' || known === 'tcg') return known;
  const found = (await kvmBoots(lab, kernel, signal)) ? 'kvm' : 'tcg';
  await writeFile(memory, found);
  return found;
}

async function kvmBoots(lab: Lab, kernel: string, signal: AbortSignal): Promise<boolean> {
  const device = await access('/dev/kvm', constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!device) return false;
  const machine = ['-nodefaults', '-no-reboot', '-display', 'none', '-accel', 'kvm', '-cpu', 'host', '-m', '256'];
  const trial = lab.run(['qemu-system-x86_64', ...machine, '-kernel', kernel, '-append', 'panic=-1'], {
    signal: AbortSignal.any([signal, AbortSignal.timeout(TRIAL_MS)]),
  });
  return trial.then(
    () => true,
    () => {
      signal.throwIfAborted();
      return false;
    },
  );
}
