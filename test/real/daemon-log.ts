/** What a daemon says in its log. One that was started again goes on in the same log, so what it said before has to be counted. */
import { readFileSync } from 'node:fs';
import type { Daemon } from '../../tools/testing/daemon.ts';
import { eventually } from './network.ts';

export const log = (daemon: Daemon): string => readFileSync(daemon.log, 'utf8');

export const said = (daemon: Daemon, text: string): number => log(daemon).split(text).length - 1;

export const says = (daemon: Daemon, text: string, times = 1): Promise<number> =>
  eventually(
    async () => said(daemon, text),
    (count) => count >= times,
  );

/** Once more than it has said by now. */
export const saysAnew = (daemon: Daemon, text: string): Promise<number> => says(daemon, text, said(daemon, text) + 1);
