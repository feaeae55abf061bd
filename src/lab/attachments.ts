/** The guests of the lab, in the order in which `lab up` starts them. */
import type { Attachment, WorkerControl } from './contract.ts';
import { player } from './player/attachment.ts';
import { workers } from './worker/control.ts';

export const attachments: readonly Attachment[] = [player];

export const workerControl: WorkerControl | undefined = workers;
