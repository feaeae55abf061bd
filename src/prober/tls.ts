/** Dials each published service as its clients do: at the VIP, by its published name and port, with the trust that HyperShift gives them. */
import { isIP } from 'node:net';
import { checkServerIdentity, connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { ProbedEndpoint } from '../probes/probe-list.ts';
import type { ProbeResult } from '../probes/report.ts';
import { since } from './stopwatch.ts';

const PATIENCE_MS = 4000;

export interface TlsFindings {
  readonly results: readonly ProbeResult[];
  /** The services that answered as they should, wherever they should. */
  readonly answered: readonly string[];
}

export async function probeTls(endpoints: readonly ProbedEndpoint[]): Promise<TlsFindings> {
  const found = await Promise.all(endpoints.map(async (endpoint) => ({ endpoint, results: await probeEndpoint(endpoint) })));
  return {
    results: found.flatMap(({ results }) => results),
    answered: found.flatMap(({ endpoint, results }) => (results.every(({ verdict }) => verdict !== 'failed') ? [endpoint.service] : [])),
  };
}

async function probeEndpoint(endpoint: ProbedEndpoint): Promise<readonly ProbeResult[]> {
  const { service, host, port, addresses } = endpoint;
  const group = 'TLS' as const;
  if (host === null || port === null || addresses.length === 0) {
    const fix = 'nothing to do: HyperShift publishes it when it is ready';
    return [{ group, subject: service, verdict: 'failed', message: 'it is not published yet', fix, milliseconds: 0 }];
  }
  return Promise.all(
    addresses.map(async (address) => {
      const elapsed = since();
      const subject = `${service} ${host}:${port}${addresses.length > 1 ? ` at ${address}` : ''}`;
      const outcome = await handshake(address, port, host, endpoint.ca);
      return { group, subject, ...judgeHandshake(endpoint, host, address, outcome), milliseconds: elapsed() };
    }),
  );
}

export type Outcome =
  | { readonly kind: 'error'; readonly code: string; readonly text: string }
  | { readonly kind: 'done'; readonly certificate: PeerCertificate; readonly untrusted: string | undefined };

/** Whatever the certificate is: what is wrong with it is judged afterwards, name and trust apart. */
function handshake(address: string, port: number, host: string, ca: string | null): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket: TLSSocket = connect({
      host: address,
      port,
      ...(isIP(host) === 0 ? { servername: host } : {}), // an address is never sent as SNI
      ...(ca === null ? {} : { ca }),
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    });
    const done = (outcome: Outcome) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    const timer = setTimeout(() => done({ kind: 'error', code: 'TIMEOUT', text: 'no answer' }), PATIENCE_MS);
    socket.on('error', (error: NodeJS.ErrnoException) => done({ kind: 'error', code: error.code ?? '', text: error.message }));
    socket.on('close', () => done({ kind: 'error', code: 'ECONNRESET', text: 'closed' }));
    socket.on('secureConnect', () => {
      // Node's type says Error; it is the code of OpenSSL, or nothing.
      const untrusted = socket.authorizationError as unknown as string | null | undefined;
      done({ kind: 'done', certificate: socket.getPeerCertificate(), untrusted: untrusted ?? undefined });
    });
  });
}

type Verdict = Pick<ProbeResult, 'verdict' | 'message' | 'fix'>;

export function judgeHandshake({ service, ca, caFrom, trust }: ProbedEndpoint, host: string, address: string, outcome: Outcome): Verdict {
  if (outcome.kind === 'error') return unreachable(address, outcome);
  const { certificate, untrusted } = outcome;
  const misnamed = checkServerIdentity(host, certificate);
  if (misnamed !== undefined) {
    const message = `the certificate is for ${certificate.subjectaltname ?? 'nobody'}, and not for ${host}`;
    return {
      verdict: 'failed',
      message,
      fix: `check where the gateway leads ${service}: its upstream is not the one that publishes ${host}`,
    };
  }
  const named = `TLS with a certificate for ${host}`;
  if (ca !== null && untrusted === undefined) return { verdict: 'passed', message: `${named}, signed by ${caFrom}` };
  const verdict = trust === 'required' ? 'failed' : 'noted';
  if (ca === null) {
    return { verdict, message: `${named}, but ${caFrom}, which its clients trust, is not known yet`, fix: `wait until ${caFrom} is there` };
  }
  const message = `${named} that ${caFrom} does not vouch for (${untrusted})`;
  const fix =
    trust === 'required'
      ? 'its clients trust nobody else: look which certificate the upstream serves'
      : 'fine, if an administrator gave it this certificate';
  return { verdict, message, fix };
}

function unreachable(address: string, { code, text }: Extract<Outcome, { kind: 'error' }>): Verdict {
  const verdict = 'failed';
  switch (code) {
    case 'TIMEOUT':
      return { verdict, message: `no answer from ${address}`, fix: 'does an edge hold the VIP? kubectl logs -c vip' };
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return { verdict, message: `nobody on the segment has ${address}`, fix: 'no edge holds the VIP: kubectl logs -c vip' };
    case 'ECONNREFUSED':
      return {
        verdict,
        message: `${address} refuses the connection`,
        fix: 'the gateway has no such listener yet: kubectl logs -c gateway',
      };
    case 'ECONNRESET':
    case 'EPIPE':
      return {
        verdict,
        message: `${address} closes the connection before TLS is done`,
        fix: 'the gateway reaches no upstream for it: are the pods of the control plane ready?',
      };
    default:
      return { verdict, message: `${address}: ${text}`, fix: 'look at the log of the gateway: kubectl logs -c gateway' };
  }
}
