/** What a look from the segment found. */

/** noted: it works, and yet somebody may want to know. late: it is still at the plan before, or reading the newest one. */
export type Verdict = 'passed' | 'noted' | 'late' | 'failed';

export interface ProbeResult {
  readonly group: 'VIP' | 'DHCP' | 'DNS' | 'TLS';
  /** Who or what was asked; with the group it names the probe. */
  readonly subject: string;
  readonly verdict: Verdict;
  /** What was seen, without figures that change from look to look. */
  readonly message: string;
  /** The next step, where there is something to do. */
  readonly fix?: string;
  readonly milliseconds: number;
}

export interface ProbeReport {
  readonly tenant: string;
  /** The hash of the list that was gone through. */
  readonly list: string;
  readonly results: readonly ProbeResult[];
  /** The edge that answers for the VIP, as far as its MAC tells. */
  readonly holder?: string;
  /** The services whose every address completed a TLS handshake. */
  readonly answered: readonly string[];
  /** The DHCP servers that should not be there: by identifier, and by MAC address where that is known. */
  readonly rogueServers: readonly string[];
  /** What each edge serves, by zone. */
  readonly serials: readonly { readonly edge: string; readonly zone: string; readonly serial: number }[];
}

/** As it is handed out: with its age by the prober's own clock, because clocks of two nodes need not agree. */
export interface ServedReport extends ProbeReport {
  readonly ageMilliseconds: number;
}

export const isProven = ({ results }: Pick<ProbeReport, 'results'>): boolean =>
  results.length > 0 && results.every(({ verdict }) => verdict === 'passed' || verdict === 'noted');
