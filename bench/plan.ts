import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Observed } from '../src/hosted-cluster/observed.ts';
import { blueObserved } from '../src/hosted-cluster/testing/blue.ts';
import { planTenant } from '../src/tenant/plan.ts';
import { renderTenant } from '../src/tenant/render.ts';
import { markdownTable } from './markdown.ts';

/** `make bench-plan`: how long planning and rendering take, and what they leave in memory, for 1, 100 and 1,000 tenants. */
interface Row {
  readonly tenants: number;
  readonly planSeconds: number;
  readonly renderSeconds: number;
  readonly heapMegabytes: number;
  readonly manifests: number;
}

/** The healthy tenant under other names and networks: 10.200.0.0/24, 10.200.1.0/24, ... */
function tenant(n: number): Observed {
  const blue = blueObserved({ spec: { segment: { attachment: `default/vlan${n}`, cidrs: [`10.${200 + (n >> 8)}.${n & 255}.0/24`] } } });
  return {
    ...blue,
    tenantNetwork: { ...blue.tenantNetwork, metadata: { name: `t${n}`, namespace: 'clusters' } },
    attachments: blue.attachments.map((nad) => ({ ...nad, metadata: { ...nad.metadata, name: `vlan${n}` } })),
  };
}

function measure(tenants: number): Row {
  const inputs = Array.from({ length: tenants }, (_, n) => tenant(n));
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const started = performance.now();
  const plans = inputs.map((observed) => planTenant(observed));
  const planned = performance.now();
  const rendered = plans.map((plan, i) =>
    renderTenant(plan, inputs[i] ?? tenant(i), { platform: 'kubernetes', image: 'localhost/hcpio-edge:bench' }),
  );
  const done = performance.now();
  globalThis.gc?.();
  return {
    tenants,
    planSeconds: (planned - started) / 1000,
    renderSeconds: (done - planned) / 1000,
    heapMegabytes: (process.memoryUsage().heapUsed - before) / 1e6,
    manifests: rendered.reduce((sum, r) => sum + r.manifests.length, 0),
  };
}

measure(20); // warm the compiler
const rows = [1, 100, 1000].map(measure);
const results = join(import.meta.dirname, 'results');
mkdirSync(results, { recursive: true });
writeFileSync(join(results, 'plan.json'), `${JSON.stringify({ node: process.version, cores: cpus().length, rows }, null, 2)}\n`);
const table = markdownTable(
  ['tenants', 'plan, s', 'render, s', 'heap kept, MB', 'manifests'],
  rows.map((r) => [r.tenants, r.planSeconds.toFixed(3), r.renderSeconds.toFixed(3), r.heapMegabytes.toFixed(1), r.manifests]),
);
writeFileSync(
  join(results, 'plan.md'),
  `# Plan and render\n\nNode ${process.version}, ${cpus().length} cores. Heap: what plans and manifests of all tenants hold together.\n\n${table}`,
);
process.stdout.write(table);
