/** How the operator is started: flags, and the environment for those that a Deployment sets once. One table, also for `--help`. */
import { parseArgs } from 'node:util';
import { ConfigError } from '../kube/errors.ts';
import { type LeaseTiming, PATIENT_LEASE, QUICK_LEASE } from '../kube/lease.ts';
import type { Rate } from '../kube/rate-limit.ts';
import type { Platform } from './platform.ts';
import type { Listen } from './serving/http.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Options {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly leaseNamespace: string | undefined;
  readonly leaseTiming: LeaseTiming | undefined;
  readonly dryRun: boolean;
  readonly metrics: Listen | undefined;
  readonly health: Listen | undefined;
  readonly webhooks: { readonly listen: Listen; readonly certificateDirectory: string | undefined } | undefined;
  readonly platform: Platform | undefined;
  readonly edge: {
    readonly image: string | undefined;
    readonly proberImage: string | undefined;
    readonly priorityClassName: string | undefined;
    readonly imagePullSecrets: readonly string[] | undefined;
    readonly storageClassName: string | undefined;
  };
  readonly workers: number;
  /** Of requests to the API server. Watches and the renewal of the Lease pass it. */
  readonly rate: Rate | undefined;
  readonly logLevel: LogLevel;
  readonly help: boolean;
}

interface Flag {
  readonly env?: string;
  readonly default?: string;
  readonly value?: string;
  readonly help: string;
}

const FLAGS = {
  kubeconfig: { value: 'FILE', help: 'how to reach the hub; without it the service account of the pod, else $KUBECONFIG' },
  context: { value: 'NAME', help: "the context of the kubeconfig; without it the file's own" },
  'lease-namespace': {
    value: 'NAMESPACE',
    env: 'POD_NAMESPACE',
    help: "where the leader's Lease is; without it the pod's own namespace, else hcpio-system",
  },
  'leader-election': {
    value: 'patient|quick|off',
    default: 'patient',
    help: 'patient rides out 78 s without an API server; off is for one process alone',
  },
  'dry-run': { help: 'tell what would be written, and write nothing' },
  'metrics-address': { value: 'HOST:PORT', default: ':8080', help: 'where /metrics is served; off for nowhere' },
  'health-address': { value: 'HOST:PORT', default: ':8081', help: 'where /healthz and /readyz are served; off for nowhere' },
  'webhook-address': {
    value: 'HOST:PORT',
    env: 'HCPIO_WEBHOOK_ADDRESS',
    default: 'off',
    help: 'where the admission webhooks are served; off for nowhere',
  },
  'webhook-certificate': {
    value: 'DIRECTORY',
    env: 'HCPIO_WEBHOOK_CERTIFICATE',
    help: 'tls.crt and tls.key of the webhooks, kept fresh by somebody else; without it the operator makes them',
  },
  platform: { value: 'auto|openshift|kubernetes', default: 'auto', help: 'the kind of hub' },
  'edge-image': { value: 'IMAGE', env: 'HCPIO_EDGE_IMAGE', help: 'the image of the edges; without it the one of this version' },
  'prober-image': {
    value: 'IMAGE',
    env: 'HCPIO_PROBER_IMAGE',
    help: "the image of the probers, which is the operator's own; without it the one of this version",
  },
  'edge-priority-class': { value: 'NAME', help: 'the priority class of the edges' },
  'edge-pull-secrets': { value: 'NAME,...', help: "pull secrets of the edge image, which have to be in the edge's namespace" },
  'edge-storage-class': { value: 'NAME', help: "the storage class of the lease volumes; without it the hub's default" },
  workers: { value: 'N', default: '8', help: 'tenants that are worked on at once' },
  'api-rate': {
    value: 'N|off',
    default: '400',
    help: 'requests to the API server per second, and twice as many in a burst; watches do not count',
  },
  'log-level': { value: LOG_LEVELS.join('|'), env: 'HCPIO_LOG_LEVEL', default: 'info', help: 'how much is logged' },
  help: { help: 'this list' },
} as const satisfies Record<string, Flag>;

type FlagName = keyof typeof FLAGS;
export type Environment = Readonly<Record<string, string | undefined>>;

export function readOptions(args: readonly string[], env: Environment): Options {
  const given = parse(args);
  const text = (name: FlagName): string | undefined => {
    const flag: Flag = FLAGS[name];
    const value = given[name] ?? (flag.env ? env[flag.env] : undefined) ?? flag.default;
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const oneOf = <T extends string>(name: FlagName, values: readonly T[]): T => {
    const value = values.find((one) => one === text(name));
    if (value === undefined) throw new ConfigError(`--${name} must be one of ${values.join(', ')}, not ${JSON.stringify(text(name))}`);
    return value;
  };
  const listen = address('webhook-address', text('webhook-address'));
  const platform = oneOf('platform', ['auto', 'openshift', 'kubernetes']);
  const timings = { patient: PATIENT_LEASE, quick: QUICK_LEASE, off: undefined };
  return {
    kubeconfig: text('kubeconfig'),
    context: text('context'),
    leaseNamespace: text('lease-namespace'),
    leaseTiming: timings[oneOf('leader-election', ['patient', 'quick', 'off'])],
    dryRun: given['dry-run'] === true,
    metrics: address('metrics-address', text('metrics-address')),
    health: address('health-address', text('health-address')),
    webhooks: listen && { listen, certificateDirectory: text('webhook-certificate') },
    platform: platform === 'auto' ? undefined : platform,
    edge: {
      image: text('edge-image'),
      proberImage: text('prober-image'),
      priorityClassName: text('edge-priority-class'),
      imagePullSecrets: text('edge-pull-secrets')
        ?.split(',')
        .filter((name) => name !== ''),
      storageClassName: text('edge-storage-class'),
    },
    workers: positive('workers', text('workers')),
    rate: rateOf(text('api-rate')),
    logLevel: oneOf('log-level', LOG_LEVELS),
    help: given['help'] === true,
  };
}

export function usage(): string {
  const lines = Object.entries(FLAGS).map(([name, flag]: [string, Flag]) => {
    const head = `  --${name}${flag.value ? ` ${flag.value}` : ''}`;
    const notes = [...(flag.env ? [`$${flag.env}`] : []), ...(flag.default ? [`default ${flag.default}`] : [])];
    return `${head}\n        ${flag.help}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
  });
  return `hcpio-operator: tenant networks for hosted clusters\n\n${lines.join('\n')}\n`;
}

function parse(args: readonly string[]): Readonly<Record<string, string | boolean | undefined>> {
  const options = Object.fromEntries(
    Object.entries(FLAGS).map(([name, flag]: [string, Flag]) => [name, { type: flag.value ? ('string' as const) : ('boolean' as const) }]),
  );
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false }).values as Readonly<
      Record<string, string | boolean | undefined>
    >;
  } catch (error) {
    throw new ConfigError(`${(error as Error).message}; --help lists the flags`, { cause: error });
  }
}

/** `:8080`, `127.0.0.1:8080`, `[::1]:8080`, or `off`. Without a host: on every address, of both families. */
function address(name: FlagName, text: string | undefined): Listen | undefined {
  if (text === undefined || text === 'off') return undefined;
  const [, host = '', digits = ''] = /^(?:\[([^\]]+)\]|[^:]*):(\d+)$/.test(text) ? (/^(.*):(\d+)$/.exec(text) ?? []) : [];
  const port = Number(digits);
  if (digits === '' || port > 65_535) throw new ConfigError(`--${name} must be HOST:PORT or off, not ${JSON.stringify(text)}`);
  return { host: host.replace(/^\[|\]$/g, '') || '::', port };
}

function rateOf(text: string | undefined): Rate | undefined {
  if (text === 'off') return undefined;
  const qps = positive('api-rate', text);
  return { qps, burst: 2 * qps };
}

function positive(name: FlagName, text = ''): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new ConfigError(`--${name} must be a number from 1 to 9999, not ${JSON.stringify(text)}`);
  return Number(text);
}
