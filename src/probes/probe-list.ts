/**
 * What is to be looked at from the segment: pure data, made from the plan. The operator writes it, the prober and `hcpio verify` read it, and
 * each report names the list that it is about by its hash, so that a look at an older plan proves nothing about the newest one.
 */
import { createHash } from 'node:crypto';

export interface ProbeList {
  readonly tenant: string;
  /** The networks of the segment: a machine that looks finds its own leg by them. */
  readonly cidrs: readonly string[];
  readonly edges: readonly ProbedEdge[];
  readonly vips: readonly string[];
  /** Absent where DHCP is somebody else's, or the segment has no such family. */
  readonly dhcp?: ProbedDhcp;
  readonly dhcp6?: ProbedDhcp6;
  readonly dns: ProbedDns;
  readonly endpoints: readonly ProbedEndpoint[];
}

export interface ProbedEdge {
  readonly name: string;
  readonly mac: string;
  readonly addresses: readonly string[];
}

export interface ProbedDhcp {
  /** Who may answer, by server identifier. Anybody else is a rogue. */
  readonly servers: readonly string[];
  /** What an offer must carry, as the plan writes it. */
  readonly options: readonly { readonly code: number; readonly name: string; readonly data: string }[];
}

export interface ProbedDhcp6 {
  /** Who may answer, by link-local address: DHCPv6 names its servers by numbers that nobody plans. */
  readonly servers: readonly string[];
  /** What an answer must carry as resolvers (option 23). */
  readonly resolvers: readonly string[];
}

export interface ProbedDns {
  readonly questions: readonly { readonly name: string; readonly type: 'A' | 'AAAA'; readonly addresses: readonly string[] }[];
  readonly serials: readonly { readonly zone: string; readonly serial: number }[];
  /** Names of the hub, of which nothing may be told. */
  readonly denied: readonly string[];
}

export interface ProbedEndpoint {
  readonly service: string;
  /** null until HyperShift has published it. */
  readonly host: string | null;
  readonly port: number | null;
  /** Where the name leads on the segment. */
  readonly addresses: readonly string[];
  /** What its clients trust. Required: they trust nothing else. Usual: an administrator may have given it another certificate. */
  readonly trust: 'required' | 'usual';
  /** PEM; null until it is known. */
  readonly ca: string | null;
  /** Where it is written down, for people. */
  readonly caFrom: string;
}

export const writeProbeList = (list: ProbeList): string => `${JSON.stringify(list, null, 1)}\n`;

/** Of the list as it is written. */
export const hashOfList = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
