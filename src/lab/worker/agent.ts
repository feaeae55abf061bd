/** Runs a command inside a worker VM, past its network: one JSON line each way over a virtio port. */
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { Lab } from '../contract.ts';
import { workerFiles } from './worker.ts';

export interface GuestResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Answer {
  readonly id: number;
  readonly code: number;
  readonly stdout: string | null;
  readonly stderr: string | null;
}

let lastId = 0;

/** The guest ends the command after `seconds`. A machine whose agent does not run yet answers when it does. */
export async function execInVm(
  lab: Pick<Lab, 'dir'>,
  name: string,
  argv: readonly string[],
  { signal, seconds = 30, stdin = '' }: { readonly signal: AbortSignal; readonly seconds?: number; readonly stdin?: string },
): Promise<GuestResult> {
  lastId += 1;
  const id = lastId * 1000 + (process.pid % 1000);
  const socket = connect(workerFiles(lab, name).agent);
  const end = () => socket.destroy();
  signal.addEventListener('abort', end, { once: true });
  try {
    socket.write(`${JSON.stringify({ id, argv, seconds, stdin: Buffer.from(stdin).toString('base64') })}\n`);
    for await (const line of createInterface({ input: socket })) {
      const answer = parse(line);
      // Another command's answer may be on the wire: the port is one for all.
      if (answer?.id === id) return { code: answer.code, stdout: decoded(answer.stdout), stderr: decoded(answer.stderr) };
    }
    signal.throwIfAborted();
    throw new Error(`${name} closed its agent's port before it answered`);
  } finally {
    signal.removeEventListener('abort', end);
    socket.destroy();
  }
}

function parse(line: string): Answer | undefined {
  try {
    return JSON.parse(line) as Answer;
  } catch {
    return undefined;
  }
}

const decoded = (text: string | null) => Buffer.from(text ?? '', 'base64').toString();
