import { describe, expect, test } from 'vitest';
import { PATIENT_LEASE, QUICK_LEASE } from '../kube/lease.ts';
import { readOptions, usage } from './options.ts';

const defaults = {
  kubeconfig: undefined,
  context: undefined,
  leaseNamespace: undefined,
  leaseTiming: PATIENT_LEASE,
  dryRun: false,
  metrics: { host: '::', port: 8080 },
  health: { host: '::', port: 8081 },
  webhooks: undefined,
  platform: undefined,
  edge: { image: undefined, priorityClassName: undefined, imagePullSecrets: undefined, storageClassName: undefined },
  workers: 8,
  rate: { qps: 400, burst: 800 },
  logLevel: 'info',
  help: false,
};

test('without a word, what a pod needs', () => {
  expect(readOptions([], {})).toEqual(defaults);
});

test('the environment is for what a Deployment sets once, and a flag wins over it', () => {
  const env = { POD_NAMESPACE: 'hcpio-system', HCPIO_EDGE_IMAGE: 'edge:1', HCPIO_LOG_LEVEL: 'debug', UNRELATED: 'x' };
  const read = readOptions(['--edge-image=edge:2'], env);
  expect(read).toEqual({ ...defaults, leaseNamespace: 'hcpio-system', logLevel: 'debug', edge: { ...defaults.edge, image: 'edge:2' } });
});

test('every flag', () => {
  const args = [
    ...['--kubeconfig', '/k', '--context', 'c', '--lease-namespace', 'n', '--leader-election', 'quick', '--dry-run'],
    ...['--metrics-address', '127.0.0.1:1', '--health-address', '[::1]:2', '--platform', 'openshift', '--workers', '3', '--api-rate', '50'],
    ...['--webhook-address', ':3', '--webhook-certificate', '/certs'],
    ...[
      '--edge-image',
      'i',
      '--edge-priority-class',
      'p',
      '--edge-pull-secrets',
      'a,b',
      '--edge-storage-class',
      's',
      '--log-level',
      'warn',
    ],
  ];
  expect(readOptions(args, {})).toEqual({
    kubeconfig: '/k',
    context: 'c',
    leaseNamespace: 'n',
    leaseTiming: QUICK_LEASE,
    dryRun: true,
    metrics: { host: '127.0.0.1', port: 1 },
    health: { host: '::1', port: 2 },
    webhooks: { listen: { host: '::', port: 3 }, certificateDirectory: '/certs' },
    platform: 'openshift',
    edge: { image: 'i', priorityClassName: 'p', imagePullSecrets: ['a', 'b'], storageClassName: 's' },
    workers: 3,
    rate: { qps: 50, burst: 100 },
    logLevel: 'warn',
    help: false,
  });
});

test('servers and the election can be off', () => {
  const { metrics, health, leaseTiming } = readOptions(['--metrics-address=off', '--health-address=off', '--leader-election=off'], {});
  expect({ metrics, health, leaseTiming }).toEqual({ metrics: undefined, health: undefined, leaseTiming: undefined });
});

describe('what is wrong is said with the flag and what it takes', () => {
  test.each([
    [['--platform=plan9'], '--platform must be one of auto, openshift, kubernetes, not "plan9"'],
    [['--leader-election=maybe'], '--leader-election must be one of patient, quick, off, not "maybe"'],
    [['--log-level=loud'], '--log-level must be one of debug, info, warn, error, silent, not "loud"'],
    [['--metrics-address=8080'], '--metrics-address must be HOST:PORT or off, not "8080"'],
    [['--health-address=a:99999'], '--health-address must be HOST:PORT or off, not "a:99999"'],
    [['--health-address=::1:80'], '--health-address must be HOST:PORT or off, not "::1:80"'],
    [['--workers=0'], '--workers must be a number from 1 to 9999, not "0"'],
  ])('%s', (args, message) => {
    expect(() => readOptions(args, {})).toThrow(message);
  });

  test('a flag that does not exist', () => {
    expect(() => readOptions(['--frobnicate'], {})).toThrow(/--frobnicate.*--help lists the flags/s);
  });
});

test('--help names every flag, its default and its variable', () => {
  expect(usage()).toContain('  --edge-image IMAGE\n        the image of the edges; without it the one of this version ($HCPIO_EDGE_IMAGE)');
  expect(usage()).toContain('  --workers N\n        tenants that are worked on at once (default 8)');
});
