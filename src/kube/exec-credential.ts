/** Credential plugins (client.authentication.k8s.io): a command of the kubeconfig prints a token or a client certificate. */
import { execFile } from 'node:child_process';
import { isAbsolute, join } from 'node:path';
import type { Clock } from './clock.ts';
import { ConfigError, toError } from './errors.ts';

export interface ExecConfig {
  readonly apiVersion?: string;
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly installHint?: string;
}

export interface ExecCredential {
  readonly token?: string;
  readonly clientCertificateData?: string;
  readonly clientKeyData?: string;
  /** RFC 3339; absent means: as long as the process lives, or until the server answers 401. */
  readonly expirationTimestamp?: string;
}

/** Runs a command with extra environment variables and gives what it printed. */
export type RunCommand = (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<string>;

/** A token is renewed this long before it ends, so that no request starts with one that ends on the way. */
const RENEW_BEFORE_MS = 30_000;

export async function execCredential(config: ExecConfig, directory: string, run: RunCommand, signal: AbortSignal): Promise<ExecCredential> {
  const apiVersion = config.apiVersion ?? 'client.authentication.k8s.io/v1';
  const info = { apiVersion, kind: 'ExecCredential', spec: { interactive: false } };
  const env = Object.fromEntries((config.env ?? []).map(({ name, value }) => [name, value]));
  // As in kubectl: a bare name is looked up in PATH, anything with a slash starts from the kubeconfig's directory.
  const command = config.command.includes('/') && !isAbsolute(config.command) ? join(directory, config.command) : config.command;
  const output = await run(command, config.args ?? [], { ...env, KUBERNETES_EXEC_INFO: JSON.stringify(info) }, signal).catch(
    (error: unknown) => {
      const hint = config.installHint ? `\n${config.installHint.trim()}` : '';
      throw new ConfigError(`credential plugin ${config.command}: ${toError(error).message}${hint}`, { cause: error });
    },
  );
  return statusOf(output, config.command);
}

export function untilExpiry(credential: ExecCredential, clock: Clock): number {
  if (!credential.expirationTimestamp) return Number.POSITIVE_INFINITY;
  return Date.parse(credential.expirationTimestamp) - clock.now() - RENEW_BEFORE_MS;
}

function statusOf(output: string, command: string): ExecCredential {
  let parsed: { readonly kind?: string; readonly status?: ExecCredential };
  try {
    parsed = JSON.parse(output);
  } catch (error) {
    throw new ConfigError(`credential plugin ${command} did not print JSON`, { cause: error });
  }
  const { status } = parsed;
  if (parsed.kind !== 'ExecCredential' || !status)
    throw new ConfigError(`credential plugin ${command} printed no ExecCredential with a status`);
  if (!status.token && !(status.clientCertificateData && status.clientKeyData)) {
    throw new ConfigError(`credential plugin ${command} gave neither a token nor a client certificate with its key`);
  }
  return status;
}

/** The system's own way to run a command. `environment` is what the command inherits. */
export function systemCommand(environment: NodeJS.ProcessEnv): RunCommand {
  return (command, args, env, signal) =>
    new Promise((resolve, reject) => {
      const options = { env: { ...environment, ...env }, signal, maxBuffer: 1 << 20 };
      execFile(command, [...args], options, (error, stdout) => (error ? reject(error) : resolve(stdout)));
    });
}
