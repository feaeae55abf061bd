import { Failure } from './failure.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Work that leaves something lying about when it is killed: a signal only tells it to stop, and once it has tidied up the signal takes its
 * ordinary course, so that the shell that waits for us learns of it.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController();
  const caught: NodeJS.Signals[] = [];
  const stop = (signal: NodeJS.Signals): void => {
    caught.push(signal);
    interruption.abort(new Failure(`stopped by ${signal}, and nothing was written`));
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    return await work(interruption.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
    const [first] = caught;
    if (first) process.kill(process.pid, first);
  }
}
