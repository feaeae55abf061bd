/** What a report from the segment is worth: whether it is of the newest plan and of now, and what it says in one sentence. Pure. */
import type { EdgePlan, PlannedEndpoint } from '../../gateway/tenant-plan.ts';
import type { ProbeResult, ServedReport } from '../../probes/report.ts';

/** What a look from the segment found. */
export type SegmentProof =
  | {
      readonly outcome: 'notProbed';
      readonly reason: 'NotProbed' | 'ProberNotReady' | 'ProberSilent' | 'Outdated' | 'NoProber';
      readonly message: string;
    }
  | {
      readonly outcome: 'proven' | 'failed';
      readonly reason: 'Proven' | 'ProbeFailed' | 'RogueDhcpServer' | 'VipTaken';
      /** What was seen, and what is waited for, as one sentence. Without figures that change from look to look. */
      readonly message: string;
      /** The edge that holds the floating address. */
      readonly holder?: EdgePlan['name'];
      /** The endpoints that completed a TLS handshake. */
      readonly answered: readonly PlannedEndpoint['service'][];
      /** DHCP servers that should not be there. */
      readonly rogueServers: readonly string[];
      /** What each edge serves of DNS. */
      readonly serials: ServedReport['serials'];
    };

export const notProbed = (reason: Extract<SegmentProof, { outcome: 'notProbed' }>['reason'], message: string): SegmentProof => ({
  outcome: 'notProbed',
  reason,
  message,
});

/** The prober looks every half a minute; a look takes some seconds. What is older than three of them tells of a prober that is stuck. */
const FRESH_MS = 90_000;
const MOST_TOLD = 3;

export function proofOf(report: ServedReport | undefined, tenant: string, list: string): SegmentProof {
  if (report === undefined) return notProbed('ProberSilent', 'the prober does not answer');
  if (report.tenant !== tenant || report.list !== list) return notProbed('Outdated', 'the prober has not looked at the newest plan yet');
  if (report.ageMilliseconds > FRESH_MS) return notProbed('ProberSilent', 'the prober has not looked for a while');
  const { results, rogueServers, serials } = report;
  const seen = {
    ...(report.holder === undefined ? {} : { holder: report.holder as EdgePlan['name'] }),
    answered: report.answered as readonly PlannedEndpoint['service'][],
    rogueServers,
    serials,
  };
  const failed = results.filter(({ verdict }) => verdict === 'failed');
  const late = results.filter(({ verdict }) => verdict === 'late');
  if (failed.length === 0 && late.length > 0)
    return notProbed(
      'Outdated',
      `the edges have not read the newest plan yet: ${late.map(({ group, subject }) => `${group} ${subject}`).join(', ')}`,
    );
  if (failed.length === 0) return { outcome: 'proven', reason: 'Proven', message: praise(results), ...seen };
  const reason = failed.some(({ group }) => group === 'VIP') ? 'VipTaken' : rogueServers.length > 0 ? 'RogueDhcpServer' : 'ProbeFailed';
  return { outcome: 'failed', reason, message: complaint(results, failed), ...seen };
}

function praise(results: readonly ProbeResult[]): string {
  const dhcp = results.some(({ group }) => group === 'DHCP');
  const services = results.filter(({ group }) => group === 'TLS').map(({ subject }) => subject.split(' ', 1)[0] ?? '');
  return [
    ...(dhcp ? ['DHCP offers addresses'] : []),
    'every edge answers DNS over UDP and TCP as planned',
    `${[...new Set(services)].join(', ')} answer TLS by their names`,
  ].join('; ');
}

function complaint(results: readonly ProbeResult[], failed: readonly ProbeResult[]): string {
  const told = failed
    .slice(0, MOST_TOLD)
    .map(({ group, subject, message, fix }) => `${group} ${subject}: ${message}${fix ? `. To do: ${fix}` : ''}`);
  const more = failed.length > MOST_TOLD ? [`and ${failed.length - MOST_TOLD} more; hcpio verify shows all`] : [];
  return `${failed.length} of ${results.length} probes failed: ${[...told, ...more].join('; ')}`;
}
