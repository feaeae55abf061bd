import type { ControlSocket, Pool } from './kea-config.ts';

/**
 * Where one version of Kea keeps its files, and how it spells what was renamed. Since 2.6.3 hooks are loaded only from the compiled-in
 * folder and leases written only to the data folder, so the paths belong to the version and the distribution, not to us.
 */
export interface KeaLayout {
  readonly version: '2.6' | '3.0';
  readonly hooks: string;
  readonly data: string;
  /** Must have mode 0750 exactly, which an emptyDir has not: the guard makes it before Kea starts. */
  readonly sockets: string;
}

const debian = { hooks: '/usr/lib/x86_64-linux-gnu/kea/hooks', data: '/var/lib/kea', sockets: '/run/kea/ctl' } as const;

/** Debian 13, which the edge's image is made of. */
export const KEA_2_6: KeaLayout = { version: '2.6', ...debian };
/** The long-term release after it; Debian 14 has it in the same places. */
export const KEA_3_0: KeaLayout = { version: '3.0', ...debian };

export function controlSocket(
  { version, sockets }: KeaLayout,
  daemon: string,
): { 'control-socket': ControlSocket } | { 'control-sockets': readonly ControlSocket[] } {
  const socket: ControlSocket = { 'socket-type': 'unix', 'socket-name': `${sockets}/${daemon}.sock` };
  return version === '2.6' ? { 'control-socket': socket } : { 'control-sockets': [socket] };
}

/** A pool that only machines with a reservation may use. */
export const forKnownMachines = ({ version }: KeaLayout): Pick<Pool, 'client-class' | 'client-classes'> =>
  version === '2.6' ? { 'client-class': 'KNOWN' } : { 'client-classes': ['KNOWN'] };
