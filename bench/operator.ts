/**
 * `make bench-operator`: the operator against a real API server without kubelets, at 1, 100 and 1,000 tenants. Writes are counted
 * by the API server's audit log; memory and CPU are read from /proc.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Informer } from '../src/kube/informer.ts';
import { mapParallel } from '../src/kube/parallel.ts';
import { TENANT_NETWORK, TENANT_RESOURCES } from '../src/operator/resources.ts';
import { AuditLog } from '../test/operator/audit.ts';
import { eventually, type Hub, startHub } from '../test/operator/hub.ts';
import { type OperatorProcess, operatorProcess, shipped } from '../test/operator/operator-process.ts';
import { playMachine, playTenant, tenant, tenantNetwork } from '../test/operator/player.ts';
import { markdownTable } from './markdown.ts';

interface Row {
  readonly tenants: number;
  readonly objects: number;
  /** From the first TenantNetwork to the last object, and to the last report. */
  readonly secondsToApplied: number;
  readonly requestsPerTenant: number;
  readonly writesPerTenant: number;
  readonly writesAtRest: number;
  readonly cpuAtRestPercent: number;
  readonly residentMegabytes: number;
  /** Of these, what is its own: the rest is Node's program, which the kernel can drop and read again. */
  readonly ownMegabytes: number;
  readonly peakMegabytes: number;
  readonly restartSeconds: number;
  readonly restartWrites: number;
  readonly residentAfterRestartMegabytes: number;
}

const REST_SECONDS = 60;
const QUIET_SECONDS = 5;
/** Long enough for what it does when the work is done. */
const RESTART_REST_SECONDS = 30;
const never = new AbortController().signal;
const seconds = (since: number): number => (performance.now() - since) / 1000;
const rest = (length: number): Promise<void> => setTimeout(length * 1000);

/** Of a comparable operator in Go, measured on such a machine: what we want to be better than. */
const YARDSTICK = { 100: { seconds: 25, megabytes: 114 }, 1000: { seconds: 297, megabytes: 251 }, writesPerSecondAtRest: 147 };

async function measure(count: number): Promise<Row> {
  const audit = new AuditLog();
  const hub = await startHub({ audit, apiServerAlone: true });
  const process_ = await operatorProcess({ kubeconfig: hub.controlPlane.kubeconfigPath, flags: ['--leader-election=patient'] });
  try {
    return await run(count, hub, audit, process_);
  } finally {
    await process_.stop();
    await hub.stop();
  }
}

async function run(count: number, hub: Hub, audit: AuditLog, operator: OperatorProcess): Promise<Row> {
  const tenants = Array.from({ length: count }, (_, n) => tenant(n));
  await hub.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'hcpio-system' } });
  say(`playing ${count} tenants`);
  await mapParallel(
    tenants,
    8,
    async (one) => {
      await playTenant(hub, one);
      await playMachine(hub, one, 1);
      await playMachine(hub, one, 2);
    },
    never,
  );
  operator.daemon.start();
  await operator.ready(never);
  const watching = new AbortController();
  const { done, stop } = countApplied(hub, count, watching);
  const before = await counters(operator);
  const mark = audit.mark();
  const started = performance.now();
  await mapParallel(tenants, 8, (one) => hub.apply(tenantNetwork(one)), never);
  await done;
  const secondsToApplied = seconds(started);
  await stop();
  say(`applied in ${secondsToApplied.toFixed(1)} s`);
  await quiet(operator);
  const after = await counters(operator);
  const writes = audit.byOperator(mark).length;
  const objects = await objectsOf(hub);
  const resting = await atRest(operator, audit);
  const restart = await restarted(operator, audit);
  return {
    tenants: count,
    objects,
    secondsToApplied,
    requestsPerTenant: (after.requests - before.requests) / count,
    writesPerTenant: writes / count,
    ...resting,
    ...restart,
  };
}

/** Resolves when every TenantNetwork says that its objects are applied. */
function countApplied(hub: Hub, count: number, watching: AbortController) {
  const applied = new Set<string>();
  const { promise, resolve } = Promise.withResolvers<void>();
  const informer = new Informer({
    transport: hub.transport,
    resource: TENANT_NETWORK,
    project: (object) => {
      const { conditions = [] } = (object['status'] ?? {}) as { conditions?: { type: string; status: string }[] };
      const done = conditions.some(({ type, status }) => type === 'Applied' && status === 'True');
      if (done) applied.add(object.metadata.name);
      if (applied.size === count) resolve();
      const { name, namespace = '', uid = '', resourceVersion = '' } = object.metadata;
      return { metadata: { name, namespace, uid, resourceVersion } };
    },
  });
  const running = informer.run(watching.signal);
  return {
    done: promise,
    stop: async () => {
      watching.abort();
      await running;
    },
  };
}

async function objectsOf(hub: Hub): Promise<number> {
  let sum = 0;
  for (const resource of TENANT_RESOURCES) sum += (await hub.list(resource, undefined, 'app.kubernetes.io/managed-by=hcpio')).length;
  return sum;
}

/** No request but watches for a while. */
async function quiet(operator: OperatorProcess): Promise<void> {
  let last = -1;
  let since = performance.now();
  await eventually('a quiet operator', async () => {
    const { writes, depth } = await counters(operator);
    if (writes !== last || depth > 0) {
      last = writes;
      since = performance.now();
    }
    return seconds(since) >= QUIET_SECONDS;
  });
}

async function atRest(operator: OperatorProcess, audit: AuditLog) {
  say(`at rest for ${REST_SECONDS} s`);
  const mark = audit.mark();
  const cpu = cpuSeconds(operator);
  await rest(REST_SECONDS);
  return {
    writesAtRest: audit.byOperator(mark).length,
    cpuAtRestPercent: ((cpuSeconds(operator) - cpu) / REST_SECONDS) * 100,
    residentMegabytes: memory(operator, 'VmRSS'),
    ownMegabytes: memory(operator, 'RssAnon'),
    peakMegabytes: memory(operator, 'VmHWM'),
  };
}

async function restarted(operator: OperatorProcess, audit: AuditLog) {
  await operator.daemon.kill('SIGTERM');
  const mark = audit.mark();
  const started = performance.now();
  operator.daemon.start();
  await operator.ready(never);
  let busySince = performance.now();
  await eventually('a quiet operator', async () => {
    const { depth, active } = await counters(operator);
    if (depth > 0 || active > 0) busySince = performance.now();
    return seconds(busySince) >= QUIET_SECONDS;
  });
  await rest(RESTART_REST_SECONDS);
  return {
    restartSeconds: (busySince - started) / 1000,
    restartWrites: audit.byOperator(mark).length,
    residentAfterRestartMegabytes: memory(operator, 'VmRSS'),
  };
}

/** What the operator says of itself. */
async function counters(operator: OperatorProcess) {
  const text = await (await fetch(operator.metricsUrl)).text();
  const sum = (pattern: RegExp): number => [...text.matchAll(pattern)].reduce((total, match) => total + Number(match[1]), 0);
  return {
    requests: sum(/^rest_client_requests_total\{[^}]*\} (\d+)/gm),
    writes: sum(/^rest_client_requests_total\{[^}]*method="(?:POST|PUT|PATCH|DELETE)"[^}]*\} (\d+)/gm),
    depth: sum(/^workqueue_depth\{[^}]*\} (\d+)/gm),
    active: sum(/^controller_runtime_active_workers\{[^}]*\} (\d+)/gm),
  };
}

const TICKS_PER_SECOND = 100;
function cpuSeconds(operator: OperatorProcess): number {
  const fields = readFileSync(`/proc/${operator.daemon.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function memory(operator: OperatorProcess, field: 'VmRSS' | 'RssAnon' | 'VmHWM'): number {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${operator.daemon.pid}/status`, 'utf8'));
  return Number(match?.[1]) / 1024;
}

const started = loadavg()[0];
const say = (text: string): void => void process.stderr.write(`  ${text}\n`);

const counts = process.argv.slice(2).map(Number);
const rows: Row[] = [];
for (const count of counts.length > 0 ? counts : [1, 100, 1000]) {
  say(`${count} tenants (load average ${loadavg()[0]?.toFixed(1)})`);
  rows.push(await measure(count));
}
const { environment, nodeFlags } = shipped();
const flags = [...environment, ...nodeFlags];
const machine = {
  node: process.version,
  flags,
  cores: cpus().length,
  cpu: cpus()[0]?.model,
  loadAverage: { start: started, end: loadavg()[0] },
};
const table = markdownTable(
  [
    'tenants',
    'objects',
    'all applied, s',
    'requests per tenant',
    'writes per tenant',
    `writes in ${REST_SECONDS} s at rest`,
    'CPU at rest, %',
    'resident, MB',
    'of it not shared program text, MB',
    'peak, MB',
    'restart to quiet, s',
    'writes after restart',
    'resident after restart, MB',
  ],
  rows.map((r) => [
    r.tenants,
    r.objects,
    r.secondsToApplied.toFixed(1),
    r.requestsPerTenant.toFixed(1),
    r.writesPerTenant.toFixed(1),
    r.writesAtRest,
    r.cpuAtRestPercent.toFixed(2),
    r.residentMegabytes.toFixed(0),
    r.ownMegabytes.toFixed(0),
    r.peakMegabytes.toFixed(0),
    r.restartSeconds.toFixed(1),
    r.restartWrites,
    r.residentAfterRestartMegabytes.toFixed(0),
  ]),
);
const results = join(import.meta.dirname, 'results');
mkdirSync(results, { recursive: true });
writeFileSync(join(results, 'operator.json'), `${JSON.stringify({ ...machine, yardstick: YARDSTICK, rows }, null, 2)}\n`);
const text = `# The operator on a real API server

Node ${machine.node} (${flags.join(' ')}), ${machine.cores} cores (${machine.cpu}) shared with etcd, kube-apiserver and the player. No kubelets, no controller-manager.
The load average was ${machine.loadAverage.start?.toFixed(1)} before the first and ${machine.loadAverage.end?.toFixed(1)} after the last: ${(started ?? 0) < 1.5 ? 'the machine had nothing else to do' : 'others were busy on the same cores, and the seconds are theirs too'}.
kube-apiserver has its default limits and an audit log of all writes, etcd no fsync. Writes are those of that log, without the renewal of the Lease;
those after a restart, and the memory then, are read ${RESTART_REST_SECONDS} s after the last work. A comparable operator in Go on such a machine: 25 s and 114 MB for 100 tenants, 297 s and 251 MB
for 1,000, and about 147 writes a second at rest.

${table}`;
writeFileSync(join(results, 'operator.md'), text);
process.stdout.write(table);
