import { createHash } from 'node:crypto';
import { bootstrap, staticBootstrap } from './envoy-bootstrap.ts';
import { cluster, endpointsFile, loadAssignment, staticCluster } from './envoy-cluster.ts';
import { listener } from './envoy-listener.ts';
import type { Bootstrap } from './envoy-types.ts';
import type { ConfigFile } from './rendered.ts';
import type { EdgePlan, TenantPlan } from './tenant-plan.ts';

/** The gateway's files: what it reads at its start, and what it reads again whenever the ConfigMap changes. */
export const gatewayFiles = (plan: TenantPlan, edge: EdgePlan): readonly ConfigFile[] => [
  file('bootstrap.json', bootstrap(edge.name)),
  file('lds.json', response('envoy.config.listener.v3.Listener', plan.listeners.map(listener))),
  file(
    'cds.json',
    response(
      'envoy.config.cluster.v3.Cluster',
      plan.upstreams.map((upstream) => cluster(upstream, edge)),
    ),
  ),
  ...plan.upstreams
    .filter((upstream) => upstream.discovery !== 'clusterIP')
    .map((upstream) =>
      file(endpointsFile(upstream), response('envoy.config.endpoint.v3.ClusterLoadAssignment', [loadAssignment(upstream)])),
    ),
];

/** Everything in one bootstrap, for `envoy --mode validate`: it does not open the files that a dynamic one points to. */
export const staticConfig = (plan: TenantPlan, edge: EdgePlan): Bootstrap =>
  staticBootstrap(
    edge.name,
    plan.listeners.map(listener),
    plan.upstreams.map((upstream) => staticCluster(upstream, edge)),
  );

/** Envoy shows `version_info` of what it accepted, so the hash tells whether a gateway serves what was planned. */
const response = (type: string, resources: readonly object[]) => ({
  version_info: createHash('sha256').update(JSON.stringify(resources)).digest('hex').slice(0, 16),
  resources: resources.map((resource) => ({ '@type': `type.googleapis.com/${type}`, ...resource })),
});

const file = (name: string, content: object): ConfigFile => ({
  container: 'gateway',
  name,
  content: `${JSON.stringify(content, null, 2)}\n`,
});
