import { attempt, type Finding } from '../api/finding.ts';
import type { FindingCode } from '../api/finding-catalogue.ts';
import { deriveAttachments } from '../gateway/attachments.ts';
import type { Check, CheckInput } from './check.ts';

/** Deriving the edge's attachment finds out everything that is wrong with the VMs' one; each code stands in the table on its own. */
function attachmentFindings({ observed, plan }: CheckInput): readonly Finding[] {
  const derived = attempt(() => deriveAttachments(plan, observed.attachments));
  return [...derived.findings, ...(derived.value?.findings ?? [])];
}

const attachmentCheck = (code: FindingCode): Check => ({ code, run: (input) => attachmentFindings(input).filter((f) => f.code === code) });

export const attachmentChecks = (
  [
    'HCPIO-ATT-001',
    'HCPIO-ATT-002',
    'HCPIO-ATT-003',
    'HCPIO-ATT-004',
    'HCPIO-ATT-005',
    'HCPIO-ATT-006',
    'HCPIO-ATT-007',
    'HCPIO-ATT-008',
  ] as const
).map(attachmentCheck);
