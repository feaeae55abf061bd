/** Where a name on the command line leads: a node, another namespace of the lab, or a worker. */
import { workerControl } from './attachments.ts';
import type { Place } from './contract.ts';
import type { RunningLab } from './running-lab.ts';
import { namespacesOf } from './status.ts';

export interface Destination {
  readonly place: Place;
  /** How a shell is had there, when not by running one. */
  readonly shell?: readonly [string, ...string[]];
}

export async function destination(lab: RunningLab, name: string): Promise<Destination> {
  if (lab.nodes.some((node) => node.name === name)) return { place: { node: name } };
  const worker = await workerControl?.shell(lab, name);
  if (worker) return { place: worker.place, shell: worker.argv };
  const namespaces = await namespacesOf(lab);
  if (namespaces.includes(name)) return { place: { netns: `${lab.name}-${name}` } };
  throw new Error(`lab ${lab.name} has no ${name}: choose one of ${namespaces.join(', ')}`);
}
