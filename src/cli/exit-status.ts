/** What scripts may rely on. Findings are told in full; the status only says whether one of them is an error. */
export const EXIT = { good: 0, failure: 1, findings: 2 } as const;
export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/** How a command ends is its answer; commander has no place for it, so it is kept here until the program returns. */
export interface Outcome {
  status: ExitStatus;
}
