/** Asks each edge by itself, over UDP and over TCP: whether the names lead where they should, which zones are served, and what must not be told. */
import type { Answer, DecodedPacket, Question } from 'dns-packet';
import type { ProbedDns, ProbedEdge, ProbeList } from '../probes/probe-list.ts';
import type { ProbeReport, ProbeResult } from '../probes/report.ts';
import { type Answers, ask, type Protocol } from './dns-client.ts';
import { since } from './stopwatch.ts';

export interface DnsFindings {
  readonly results: readonly ProbeResult[];
  readonly serials: ProbeReport['serials'];
}

export async function probeDns({ dns, edges }: ProbeList): Promise<DnsFindings> {
  const found = await Promise.all(
    edges.flatMap((edge) =>
      edge.addresses.flatMap((address) => (['udp', 'tcp'] as const).map((protocol) => look(dns, edge, address, protocol))),
    ),
  );
  return {
    results: found.map(({ result }) => result),
    // Each edge says the same on all its addresses and over both protocols, or a result says that it does not.
    serials: edges.flatMap(({ name }) => found.find((one) => one.edge === name && one.serials.length > 0)?.serials ?? []),
  };
}

interface Look {
  readonly edge: string;
  readonly result: ProbeResult;
  readonly serials: ProbeReport['serials'];
}

async function look(dns: ProbedDns, { name: edge }: ProbedEdge, address: string, protocol: Protocol): Promise<Look> {
  const elapsed = since();
  const questions: Question[] = [
    ...dns.questions.map(({ name, type }) => ({ name, type })),
    ...dns.serials.map(({ zone }) => ({ name: zone, type: 'SOA' as const })),
    ...dns.denied.map((name) => ({ name, type: 'A' as const })),
  ];
  const answers = await ask(address, protocol, questions);
  const { serials, ...verdict } = judgeAnswers(dns, answers);
  return {
    edge,
    result: { group: 'DNS', subject: `${edge} ${address} ${protocol}`, ...verdict, milliseconds: elapsed() },
    serials: serials.map((one) => ({ edge, ...one })),
  };
}

type Judged = Pick<ProbeResult, 'verdict' | 'message' | 'fix'> & {
  readonly serials: readonly { readonly zone: string; readonly serial: number }[];
};

/** The answers stand in the order of the questions: names, zones, names of the hub. */
export function judgeAnswers(dns: ProbedDns, answers: Answers): Judged {
  const names = answers.slice(0, dns.questions.length);
  const zones = answers.slice(dns.questions.length, dns.questions.length + dns.serials.length);
  const hub = answers.slice(dns.questions.length + dns.serials.length);
  const served = dns.serials.map(({ zone }, i) => ({ zone, serial: serialIn(zones[i]) }));
  const serials = served.flatMap(({ zone, serial }) => (serial === undefined ? [] : [{ zone, serial }]));
  if (answers.every((answer) => answer === undefined)) {
    const fix = 'look at the container dns of that edge: kubectl logs -c dns; and whether the segment passes that protocol';
    return { verdict: 'failed', message: 'no answer', fix, serials };
  }
  const leaks = dns.denied.flatMap((name, i) => told(name, hub[i]));
  const old = dns.serials.flatMap(({ zone, serial }, i) =>
    served[i]?.serial === serial ? [] : [`zone ${zone} is served with serial ${served[i]?.serial ?? 'none'} instead of ${serial}`],
  );
  const wrong = [
    ...dns.questions.flatMap(({ name, type, addresses }, i) => wrongName(name, addresses, addressesIn(names[i], type), names[i])),
    ...old,
    ...leaks,
  ];
  if (wrong.length > 0) {
    const more = wrong.length > MOST_TOLD ? ` (and ${wrong.length - MOST_TOLD} more)` : '';
    const fix = 'CoreDNS reads changed zones within seconds; when this stays, look at its log: kubectl logs -c dns';
    // With zones of the plan before nothing can be said of the names of this one.
    const verdict = old.length > 0 && leaks.length === 0 && serials.length === served.length ? 'late' : 'failed';
    return { verdict, message: `${wrong.slice(0, MOST_TOLD).join('; ')}${more}`, fix, serials };
  }
  const denied = dns.denied.length === 0 ? '' : `, and nothing of the hub's`;
  return { verdict: 'passed', message: `${dns.questions.length} names and ${dns.serials.length} zones as planned${denied}`, serials };
}

const MOST_TOLD = 3;

function wrongName(name: string, planned: readonly string[], got: readonly string[], answer: DecodedPacket | undefined): string[] {
  if (answer === undefined) return [`${name} has no answer`];
  if (got.length === planned.length && got.every((address) => planned.includes(address))) return [];
  return [`${name} leads to ${got.join(', ') || rcodeOf(answer)} instead of ${planned.join(', ')}`];
}

const told = (name: string, answer: DecodedPacket | undefined): string[] => {
  const got = addressesIn(answer, 'A');
  return got.length === 0 ? [] : [`${name}, a name of the hub, leads to ${got.join(', ')} and should not be answered`];
};

const rcodeOf = (answer: DecodedPacket): string => (answer as { readonly rcode?: string }).rcode ?? 'nothing';

function addressesIn(answer: DecodedPacket | undefined, type: 'A' | 'AAAA'): string[] {
  return (answer?.answers ?? []).flatMap((record) => (record.type === type && typeof record.data === 'string' ? [record.data] : [])).sort();
}

const serialIn = (answer: DecodedPacket | undefined): number | undefined =>
  (answer?.answers ?? []).flatMap((record: Answer) => (record.type === 'SOA' ? [record.data.serial ?? 0] : []))[0];
