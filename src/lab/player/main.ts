/** The player as a process, in the hub's network namespace: `main.ts LAB`. It runs until the lab ends. */
import { readFile } from 'node:fs/promises';
import { Applier } from '../../kube/apply.ts';
import { Client } from '../../kube/client.ts';
import { systemClock } from '../../kube/clock.ts';
import { Controller } from '../../kube/controller.ts';
import { Discovery } from '../../kube/discovery.ts';
import { systemCommand } from '../../kube/exec-credential.ts';
import { loadKubeconfig } from '../../kube/kubeconfig.ts';
import { Manager } from '../../kube/manager.ts';
import { type Key, type KubeObject, keyOf } from '../../kube/object.ts';
import type { Logger } from '../../kube/telemetry.ts';
import { Transport } from '../../kube/transport.ts';
import type { Lab } from '../contract.ts';
import { openLab } from '../open.ts';
import { controlPlaneNamespace, type HostedCluster, type Manifest, type Route, type Service } from './hosted-cluster.ts';
import { HostedClusters } from './loop/hosted-clusters.ts';
import { HostedKubeconfig } from './loop/hosted-kubeconfig.ts';
import { admitRoute, giveAddress } from './loop/hub-services.ts';
import { HubView, type Kind, RESOURCES } from './loop/hub-view.ts';
import { Machines } from './loop/machines.ts';
import { NodePools } from './loop/node-pools.ts';
import { Writer } from './loop/write.ts';
import { NODE_POOL_ANNOTATION, type NodePool } from './machines/node-pool.ts';
import { INGRESS_DOMAIN } from './scenario.ts';

const errorsAsText = (_key: string, value: unknown) => (value instanceof Error ? (value.stack ?? value.message) : value);
const say = (fields: object, message: string) => console.log(new Date().toISOString(), message, JSON.stringify(fields, errorsAsText));
const log: Logger = { debug() {}, info: say, warn: say, error: say };

async function main([name = '']: readonly string[], signal: AbortSignal): Promise<void> {
  const lab = await openLab(name);
  const readText = (path: string) => readFile(path, 'utf8');
  const options = { paths: [lab.hub.kubeconfig], readFile: readText, runCommand: systemCommand(process.env), clock: systemClock, log };
  const { connection } = await loadKubeconfig(options, signal);
  const transport = new Transport({ connection, userAgent: 'hcpio-lab-player', log });
  const view = new HubView(transport, log);
  const applier = new Applier(transport, new Discovery(transport, Object.values(RESOURCES)), 'hypershift');
  const writer = new Writer(new Client(transport), applier, view);
  await new Manager({ informers: view.informers, controllers: controllers(lab, view, writer), log }).run(signal);
}

function controllers(lab: Lab, view: HubView, writer: Writer): readonly Controller[] {
  const hub = { clusterNetworks: [lab.hub.podCidr], serviceNetworks: [lab.hub.serviceCidr], ingressDomain: INGRESS_DOMAIN };
  const common = { clock: systemClock, random: Math.random, log, retryDelayMs: { least: 100, most: 5000 } };
  const clusters = new HostedClusters({ view, writer, hub, log });
  const pools = new NodePools({ view, writer, machines: new Machines(lab, view, writer, log) });
  const kubeconfig = new HostedKubeconfig(view, (name) => lab.hostedKubeconfigOf(name));
  const hostedClusters = new Controller({
    ...common,
    name: 'hosted-clusters',
    reconcile: async (key, { signal }) => {
      const next = await clusters.reconcile(key, signal);
      const cluster = view.store('HostedCluster').get(key) as (Manifest & HostedCluster) | undefined;
      if (cluster !== undefined) await kubeconfig.refresh(cluster);
      return next;
    },
  });
  const nodePools = new Controller({ ...common, name: 'node-pools', reconcile: (key, { signal }) => pools.reconcile(key, signal) });
  const balancer = new Controller({
    ...common,
    name: 'load-balancer',
    reconcile: async (key, { signal }) => {
      const service = view.store('Service').get(key) as unknown as Service | undefined;
      if (service !== undefined) await giveAddress(service, view, writer, signal);
      return undefined;
    },
  });
  const router = new Controller({
    ...common,
    name: 'router',
    reconcile: async (key, { signal }) => {
      const route = view.store('Route').get(key) as unknown as Route | undefined;
      if (route !== undefined) await admitRoute(route, view, writer, INGRESS_DOMAIN, signal);
      return undefined;
    },
  });
  subscribe(view, hostedClusters, nodePools);
  balancer.watch(view.store('Service'), ({ metadata }) => [keyOf(metadata)]);
  router.watch(view.store('Route'), ({ metadata }) => [keyOf(metadata)]);
  // A router that got its address admits what waits for it.
  router.watch(view.store('Service'), ({ metadata }) => view.list('Route', metadata.namespace ?? '').map((route) => keyOf(route.metadata)));
  return [hostedClusters, nodePools, balancer, router];
}

/** What lives in a control plane's namespace concerns its HostedCluster; what concerns a cluster concerns its pools. */
function subscribe(view: HubView, hostedClusters: Controller, nodePools: Controller): void {
  const clusterKeys = ({ metadata }: KubeObject): readonly Key[] => {
    const all = view.store('HostedCluster').list() as readonly unknown[] as readonly HostedCluster[];
    return all
      .filter((cluster) => controlPlaneNamespace(cluster) === (metadata.namespace ?? metadata.name))
      .map((cluster) => keyOf(cluster.metadata));
  };
  const poolKeys = ({ metadata }: KubeObject): readonly Key[] => {
    const owner = metadata.annotations?.[NODE_POOL_ANNOTATION];
    return owner === undefined ? [] : [owner];
  };
  const poolsOf = (cluster: KubeObject): readonly Key[] => {
    const all = view.list<NodePool>('NodePool', cluster.metadata.namespace ?? '');
    return all.filter(({ spec }) => spec.clusterName === cluster.metadata.name).map(({ metadata }) => keyOf(metadata));
  };
  hostedClusters.watch(view.store('HostedCluster'), ({ metadata }) => [keyOf(metadata)]);
  hostedClusters.watch(view.store('NodePool'), (pool) => [`${pool.metadata.namespace}/${(pool as unknown as NodePool).spec.clusterName}`]);
  const inControlPlane: readonly Kind[] = [
    'HostedControlPlane',
    'Cluster',
    'Namespace',
    'Service',
    'Route',
    'Deployment',
    'StatefulSet',
    'EndpointSlice',
    'Secret',
  ];
  for (const kind of inControlPlane) hostedClusters.watch(view.store(kind), clusterKeys);
  nodePools.watch(view.store('NodePool'), ({ metadata }) => [keyOf(metadata)]);
  nodePools.watch(view.store('HostedCluster'), poolsOf);
  for (const kind of ['Secret', 'Machine', 'VirtualMachine'] as const) nodePools.watch(view.store(kind), poolKeys);
}

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
await main(process.argv.slice(2), stop.signal);
