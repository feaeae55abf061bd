import { Command, CommanderError } from 'commander';
import { connectionsCommand } from './connections-command.ts';
import { crdCommand } from './crd-command.ts';
import { ANSWER, EXIT, type ExitStatus, type Outcome } from './exit-status.ts';
import { explainCommand } from './explain-command.ts';
import { Failure } from './failure.ts';
import { labCommand } from './lab.ts';
import { leasesCommand } from './leases-command.ts';
import { planCommand } from './plan-command.ts';
import { renderCommand } from './render-command.ts';
import { statusCommand } from './status-command.ts';
import type { Terminal } from './terminal.ts';
import { verifyCommand } from './verify-command.ts';
import { VERSION } from './version.ts';

const ABOUT = 'Gives a HyperShift hosted cluster on OpenShift Virtualization its own isolated tenant network.';
const AFTER = `
Exit status:
  0  no error findings
  1  a wrong argument, an unreadable file, or any other failure
  2  error findings; a plan is still shown, but nothing is written
Commands that ask a cluster (status, leases, verify, connections): 0 yes, 1 no, 2 it could not be
asked.`;

const QUESTIONS: readonly string[] = ['status', 'leases', 'verify', 'connections'];

/** The whole command line. `outcome` receives the exit status of the command that ran. */
export function buildProgram(terminal: Terminal, outcome: Outcome): Command {
  const program = new Command(terminal.command)
    .description(ABOUT)
    .version(VERSION, '-V, --version', 'print the version')
    .addHelpText('after', AFTER)
    .showHelpAfterError(false)
    .hook('preSubcommand', (_, command) => {
      outcome.failed = QUESTIONS.includes(command.name()) ? ANSWER.unasked : EXIT.failure;
    });
  program.addCommand(planCommand(terminal, outcome));
  program.addCommand(renderCommand(terminal, outcome));
  program.addCommand(statusCommand(terminal, outcome));
  program.addCommand(leasesCommand(terminal, outcome));
  program.addCommand(verifyCommand(terminal, outcome));
  program.addCommand(connectionsCommand(terminal, outcome));
  program.addCommand(explainCommand(terminal));
  program.addCommand(crdCommand(terminal));
  program.addCommand(labCommand(terminal, outcome));
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      getOutHelpWidth: () => 100,
      getErrHelpWidth: () => 100,
      outputError: (text, write) => write(text.replace(/^error:/, `${terminal.command}:`)),
    });
  }
  return program;
}

export async function run(args: readonly string[], terminal: Terminal): Promise<ExitStatus> {
  const outcome: Outcome = { status: EXIT.good };
  try {
    await buildProgram(terminal, outcome).parseAsync(args, { from: 'user' });
    return outcome.status;
  } catch (error) {
    // --help and --version end here as well, with exit code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.good : (outcome.failed ?? EXIT.failure);
    if (!(error instanceof Failure)) throw error;
    terminal.err(`${terminal.command}: ${error.message}\n`);
    return outcome.failed ?? EXIT.failure;
  }
}
