import { Command, InvalidArgumentError, Option } from 'commander';
import { PUBLISHING_STRATEGIES } from '../lab/contract.ts';
import type { AnyOutcome, CaptureFlags, DownFlags, Named, UpFlags, WorkerFlags } from './lab-actions.ts';
import type { Terminal } from './terminal.ts';

const ABOUT = 'A small data centre on this machine: a real hub, a hosted cluster and isolated VLANs. Needs root.';

type Actions = typeof import('./lab-actions.ts');

async function run(work: (actions: Actions) => Promise<void>): Promise<void> {
  const actions = await import('./lab-actions.ts');
  await actions.asRoot(() => work(actions));
}

/** `hcpio lab ...`. Everything of a lab carries its name, so several can stand side by side. */
export function labCommand(terminal: Terminal, outcome: AnyOutcome): Command {
  const lab = group(new Command('lab').description(ABOUT), terminal);
  const command = (signature: string, about: string) => named(lab, signature, about);

  command('up', 'Bring a lab up and leave it standing in the background.')
    .option('--nodes <count>', 'nodes of the hub; 0 for the control plane alone', count, 2)
    .addOption(strategyOption())
    .option('--no-player', 'the hub alone, without a hosted cluster')
    .option('--operator', "install hcpio's operator, as deploy/README.md says")
    .option('--keep', 'when a step fails, leave what stands for a look at it')
    .action((flags: UpFlags) => run((actions) => actions.bringUp(flags, terminal)));
  command('demo', 'The operator at work: from nothing to a VM that joined. A lab of that name is taken down first.')
    .addOption(strategyOption())
    .action((flags: Pick<UpFlags, 'name' | 'strategy'>) => run((actions) => actions.showDemo(flags, terminal)));
  command('deploy', "Install hcpio's operator into a lab that stands, or renew it there.").action((flags: Named) =>
    run((actions) => actions.deploy(flags, terminal)),
  );
  command('down', 'Take a lab away, whatever state it is in.')
    .option('--purge', 'the logs of its runs too')
    .action((flags: DownFlags) => run((actions) => actions.takeDown(flags, terminal)));
  command('status', 'What stands, what is played, and which processes.')
    .addOption(new Option('-o, --output <format>', 'for people or for programs').choices(['text', 'json']).default('text'))
    .action((flags: Named & { output: string }) => run((actions) => actions.showStatus(flags, terminal)));
  command('kubeconfig [cluster]', "The administrator's kubeconfig: hub (the default) or hosted.").action(
    (cluster: string | undefined, flags: Named) => run((actions) => actions.showKubeconfig(cluster ?? 'hub', flags, terminal)),
  );
  command('logs <part>', 'The log of a part, of the last run of that name.')
    .option('--lines <count>', 'only the last so many lines', count)
    .action((part: string, flags: Named & { lines?: number }) => run((actions) => actions.showLog(part, flags, terminal)));
  command('shell <place>', 'A shell on a node, in another namespace of the lab (hub-cp, fab, ...) or on a worker.').action(
    (place: string, flags: Named) => run((actions) => actions.openShell(place, flags, outcome)),
  );
  command('exec <place> <argv...>', 'A command there: hcpio lab exec hub-a -- ip -br addr').action(
    (place: string, argv: string[], flags: Named) => run((actions) => actions.execute(place, argv, flags, outcome)),
  );
  command('capture <segment>', 'Record what crosses a segment until Ctrl-C: hcpio lab capture vlan100 --out vlan100.pcap')
    .requiredOption('--out <file>', 'where to write the packets')
    .option('--packets <count>', 'stop after so many', count)
    .action((segment: string, flags: CaptureFlags) => run((actions) => actions.capture(segment, flags, outcome)));
  lab.addCommand(workerCommand(terminal));
  return lab;
}

function workerCommand(terminal: Terminal): Command {
  const worker = group(new Command('worker').description('Workers of the hosted cluster.'), terminal);
  named(worker, 'start', 'Power on workers and report how far they get.')
    .option('--vm', 'virtual machines with a kernel of their own (the default)')
    .option('--netns', 'network namespaces: the same steps, for numbers')
    .option('--count <count>', 'how many', count, 1)
    .option('--segment <name>', 'where', 'vlan100')
    .action((flags: WorkerFlags) => run((actions) => actions.startWorkers(flags, terminal)));
  named(worker, 'stop <workers...>', 'Power off.').action((names: string[], flags: Named) =>
    run((actions) => actions.stopWorkers(names, flags)),
  );
  named(worker, 'list', 'How far each worker has come.').action((flags: Named) => run((actions) => actions.listWorkers(flags, terminal)));
  return worker;
}

/** Commander's settings go from a command to those below it only when they are made, so they are set first. */
function group(command: Command, terminal: Terminal): Command {
  return command.exitOverride().configureOutput({
    writeOut: terminal.out,
    writeErr: terminal.err,
    getOutHelpWidth: () => 100,
    outputError: (text, write) => write(text.replace(/^error:/, `${terminal.command}:`)),
  });
}

function named(parent: Command, signature: string, about: string): Command {
  return parent.command(signature).description(about).option('--name <name>', 'which lab', 'lab');
}

function strategyOption(): Option {
  const option = new Option('--strategy <strategy>', 'how the hosted control plane is published');
  return option.choices(PUBLISHING_STRATEGIES).default('loadbalancer');
}

function count(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('not a number');
  return Number(text);
}
