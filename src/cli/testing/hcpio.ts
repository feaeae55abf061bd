import { run } from '../program.ts';
import { plain } from '../terminal.ts';

export interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line in this process: the same as the binary, but for the streams. */
export async function hcpio(args: readonly string[], { stdin = '', command = 'hcpio' } = {}): Promise<Ran> {
  let out = '';
  let err = '';
  const status = await run(args, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    stdin: () => Promise.resolve(Buffer.from(stdin)),
    theme: plain,
    command,
  });
  return { status, out, err };
}
