/** What scripts may rely on. Findings are told in full; the status only says whether one of them is an error. */
export const EXIT = { good: 0, failure: 1, findings: 2 } as const;
export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/** Commands that put a question to a cluster end as grep and diff do: it is so, it is not so, it could not be asked. */
export const ANSWER = { yes: 0, no: 1, unasked: 2 } as const;

/** How a command ends is its answer; commander has no place for it, so it is kept here until the program returns. */
export interface Outcome {
  status: ExitStatus;
  /** What a failure of this command ends with, where it is not 1. */
  failed?: ExitStatus;
}
