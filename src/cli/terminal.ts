import { createColors } from 'picocolors';
import type { ScreenSize } from './screen.ts';

/** All that a command may do to the outside besides reading and writing files: a parameter, so that tests need no process. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly stdin: () => Promise<Uint8Array>;
  readonly theme: Theme;
  /** How large the screen is now; absent where the output is no terminal. */
  readonly screen?: () => ScreenSize;
  /** Aborted when nobody reads `out` any more: what would go on for ever ends then. */
  readonly gone?: AbortSignal;
  /** The name that the user typed: `hcpio`, or `kubectl hcpio` when kubectl found us as a plugin. */
  readonly command: string;
}

type Paint = (text: string) => string;

export interface Theme {
  readonly strong: Paint;
  readonly faint: Paint;
  readonly good: Paint;
  readonly bad: Paint;
  readonly doubtful: Paint;
  readonly accent: Paint;
}

export const theme = (colour: boolean): Theme => {
  const { bold, dim, green, red, yellow, cyan } = createColors(colour);
  return { strong: bold, faint: dim, good: green, bad: red, doubtful: yellow, accent: cyan };
};

export const plain: Theme = theme(false);

/** Colour only for a person at a terminal who did not decline it (no-color.org). Node leaves isTTY undefined where there is none. */
export const wantsColour = (isTerminal: boolean | undefined, env: Readonly<Record<string, string | undefined>>): boolean =>
  isTerminal === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';

/** kubectl calls its plugins `kubectl-NAME`, oc does the same. */
export const commandName = (invokedAs: string): string =>
  /^(kubectl|oc)-/.test(invokedAs) ? invokedAs.replace(/^(kubectl|oc)-/, '$1 ').replaceAll('_', '-') : 'hcpio';
