/** The guests of the lab, in the order in which `lab up` makes and loads their images. */
import type { Attachment, WorkerControl } from './contract.ts';
import { operator } from './operator.ts';
import { player } from './player/attachment.ts';
import { workers } from './worker/control.ts';

export const attachments: readonly Attachment[] = [operator, player];

export const workerControl: WorkerControl | undefined = workers;
