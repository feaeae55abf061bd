import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { EXIT } from './exit-status.ts';
import { Failure } from './failure.ts';
import { run } from './program.ts';
import { commandName, type Terminal, theme, wantsColour } from './terminal.ts';

/** At the very end, because the write may fail before or after the command has set its own status. */
const outputIsLost = (): void => {
  process.exitCode = EXIT.failure;
};

const gone = new AbortController();

const terminal: Terminal = {
  gone: gone.signal,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  stdin: () => buffer(process.stdin),
  ...(process.stdout.isTTY ? { screen: () => ({ columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 }) } : {}),
  theme: theme(wantsColour(process.stdout.isTTY, process.env)),
  command: commandName(basename(process.env['HCPIO_INVOKED_AS'] ?? 'hcpio')),
};

/** The reader of our output may go away (`hcpio plan | head`); that is its right, and no error of ours. A full disk is one. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  gone.abort(new Failure('nobody reads the output any more'));
  if (error.code === 'EPIPE') return;
  if (process.listenerCount('exit', outputIsLost) === 0) terminal.err(`${terminal.command}: cannot write the output: ${error.message}\n`);
  process.once('exit', outputIsLost);
});
// Where nothing can be told, the exit status has to do.
process.stderr.on('error', () => {});

// Not process.exit: output to a pipe may still be on its way.
try {
  process.exitCode = await run(process.argv.slice(2), terminal);
} catch (error) {
  terminal.err(
    `${terminal.command}: this is a defect of hcpio; please report it with what you ran:\n${error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exitCode = EXIT.failure;
}
