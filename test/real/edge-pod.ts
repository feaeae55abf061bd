import { cpSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { StatefulSetSpec } from 'kubernetes-types/apps/v1.d.ts';
import { SEGMENT_TABLE } from '../../src/gateway/edge-ports.ts';
import { renderGateway } from '../../src/gateway/render.ts';
import type { ConfigFile, Container } from '../../src/gateway/rendered.ts';
import { segmentMac } from '../../src/gateway/segment-mac.ts';
import type { EdgePlan, TenantPlan } from '../../src/gateway/tenant-plan.ts';
import { sampleNads } from '../../src/gateway/testing/sample-nads.ts';
import { toolPath } from '../../tools/paths.ts';
import type { Daemon } from '../../tools/testing/daemon.ts';
import { ConfigMapVolume } from './config-map-volume.ts';
import { GatewayProcess } from './gateway-process.ts';
import type { Host, Network } from './network.ts';

const ENTRY_POINTS = join(import.meta.dirname, '..', '..', 'deploy', 'edge');

/**
 * An edge without Kubernetes: the interfaces that Multus would have made, the files and variables as they were rendered, and the image's own
 * entry points in the image's own Debian. Only the ClusterIP is played, by the peer's address on the pod network.
 */
export class EdgePod {
  readonly host: Host;
  readonly plan: TenantPlan;
  readonly edge: EdgePlan;
  readonly #volumes = new Map<Container, ConfigMapVolume>();
  #pod: ConfigMapVolume | undefined;
  readonly #files: readonly ConfigFile[];
  readonly #spec: StatefulSetSpec;

  private constructor(host: Host, plan: TenantPlan, edge: EdgePlan) {
    this.host = host;
    this.plan = plan;
    this.edge = edge;
    const rendered = renderGateway(plan, {
      nads: sampleNads,
      platform: 'kubernetes',
      image: 'edge',
      proberImage: 'operator',
      operatorNamespace: 'hcpio-system',
      authorities: {},
    });
    this.#files = rendered.files.find((files) => files.edge === edge.name)?.files ?? [];
    this.#spec = rendered.manifests.find((o) => o.kind === 'StatefulSet' && o.metadata.name === edge.name)?.['spec'] as StatefulSetSpec;
    cpSync(ENTRY_POINTS, join(host.dir, 'etc', 'libexec'), { recursive: true });
    this.askToYield('');
    for (const container of ['guard', 'dhcp', 'dns', 'vip'] as const) this.configure(container, this.files(container));
  }

  /** Two of a plan's edges and a machine of the tenant, and others if there are, on one segment; the edges share the hub's pod network. */
  static async pair(
    network: Network,
    plan: TenantPlan,
    ...others: readonly Host[]
  ): Promise<{ readonly edges: readonly [EdgePod, EdgePod]; readonly tenant: Host }> {
    const [a, b, tenant] = [await network.host('edge-a'), await network.host('edge-b'), await network.host('tenant')];
    await network.segment(
      'segment',
      [a, b, tenant, ...others].map((host) => [host, 'net1'] as const),
    );
    await network.segment(
      'hub',
      [a, b].map((host) => [host, 'eth0'] as const),
    );
    const [first, second] = plan.edges;
    if (first === undefined || second === undefined) throw new Error('the plan has no pair of edges');
    const edges = [new EdgePod(a, plan, first), new EdgePod(b, plan, second)] as const;
    for (const pod of edges) await pod.#plug();
    await tenant.run('ip', 'address', 'add', '192.168.100.50/24', 'dev', 'net1');
    return { edges, tenant };
  }

  /** The edge of a plan that has but one. */
  static async alone(network: Network, plan: TenantPlan): Promise<EdgePod> {
    const [host, tenant] = [await network.host('edge-a'), await network.host('tenant')];
    await network.connect([host, 'net1'], [tenant, 'net1']);
    await network.connect([host, 'eth0'], [await network.host('hub'), 'pod']);
    const [edge] = plan.edges;
    if (edge === undefined) throw new Error('the plan has no edge');
    const pod = new EdgePod(host, plan, edge);
    await pod.#plug();
    return pod;
  }

  async #plug(): Promise<void> {
    await this.host.run('ip', 'link', 'set', 'net1', 'address', segmentMac(this.plan, this.edge));
    const prefix = this.plan.addresses.ipv4?.cidr.split('/')[1];
    await this.host.run('ip', 'address', 'add', `${this.edge.addresses.ipv4}/${prefix}`, 'dev', 'net1');
    await this.host.run('ip', 'address', 'add', `${POD_ADDRESS[this.edge.name]}/24`, 'dev', 'eth0');
  }

  /** As the CNI plugin `sbr` leaves it: the way to the segment is in a table of its own, and everything else goes by the pod network. */
  async routeBySource(): Promise<void> {
    const { cidr = '', router = '' } = this.plan.addresses.ipv4 ?? {};
    const own = this.edge.addresses.ipv4 ?? '';
    const table = ['table', String(SEGMENT_TABLE)];
    await this.host.run('ip', 'route', 'add', 'default', 'via', '10.128.0.1', 'dev', 'eth0');
    await this.host.run('ip', 'route', 'add', cidr, 'dev', 'net1', 'src', own, ...table);
    await this.host.run('ip', 'route', 'add', 'default', 'via', router, 'dev', 'net1', ...table);
    await this.host.run('ip', 'rule', 'add', 'from', own, ...table);
    await this.host.run('ip', 'route', 'delete', cidr, 'dev', 'net1');
  }

  files(container: Container): readonly ConfigFile[] {
    return this.#files.filter((file) => file.container === container);
  }

  configure(container: Container, files: readonly ConfigFile[]): void {
    const volume = this.#volumes.get(container) ?? new ConfigMapVolume(join(this.host.dir, 'etc', container));
    this.#volumes.set(container, volume);
    volume.swap(files);
  }

  /** As the operator asks, by an annotation that the pod sees as a file. */
  askToYield(word: string): void {
    this.#pod ??= new ConfigMapVolume(join(this.host.dir, 'etc', 'pod'));
    this.#pod.swap([{ name: 'yield', content: word }]);
  }

  /** The guard to its end; rejects with what it said. */
  async guard(changes: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.host.run(...this.#entryPoint('guard', changes));
  }

  start(container: 'dhcp' | 'vip'): Daemon {
    return this.host.start(`${this.edge.name} ${container}`, this.#entryPoint(container));
  }

  startDns(): Daemon {
    return this.host.start(`${this.edge.name} dns`, this.host.pod(toolPath('coredns'), '-conf', '/etc/hcpio/dns/Corefile'));
  }

  /** What the readiness probe of a container prints, run as kubelet would; empty when it is ready. */
  async probe(container: Exclude<Container, 'guard'>): Promise<string> {
    const { readinessProbe, env = [] } = this.#spec.template.spec?.containers.find(({ name }) => name === container) ?? {};
    const command = (readinessProbe?.exec?.command ?? []).map((word) =>
      word.replace('/usr/libexec/hcpio/', '/mnt/libexec/').replace('/etc/hcpio/', '/mnt/'),
    );
    const variables = env.map(({ name, value }) => `${name}=${value}`);
    const shell = ['sh', '-c', '"$@" 2>&1 && echo READY || true', 'sh', 'env', ...variables, `CONFIG=/mnt/${container}`, ...command];
    const said = await this.host.run(...this.host.edge(...shell));
    return said.endsWith('READY\n') ? '' : said.trim();
  }

  /** One of the image's programs, run in a container as `kubectl exec` would; what it prints. */
  async run(container: Container, program: string): Promise<string> {
    return this.host.run(...this.host.edge('env', `CONFIG=/mnt/${container}`, `/mnt/libexec/${program}`));
  }

  startGateway(): GatewayProcess {
    return new GatewayProcess(this.host, this.files('gateway'));
  }

  #entryPoint(container: 'guard' | 'dhcp' | 'vip', changes: Readonly<Record<string, string>> = {}): string[] {
    const { initContainers = [], containers } = this.#spec.template.spec ?? { containers: [] };
    const env = [...initContainers, ...containers].find((c) => c.name === container)?.env ?? [];
    const variables = {
      ...Object.fromEntries(env.map((e) => [e.name, clusterIp(e.value ?? '').replace('$(POD_IP)', POD_ADDRESS[this.edge.name])])),
      CONFIG: `/mnt/${container}`,
      GUARD: '/mnt/guard',
      POD: '/mnt/pod',
      ...changes,
    };
    return this.host.edge('env', ...Object.entries(variables).map(([name, value]) => `${name}=${value}`), `/mnt/libexec/${container}`);
  }

  async holdsVip(): Promise<boolean> {
    return (await this.host.run('ip', '-brief', 'address', 'show', 'dev', 'net1')).includes(` ${this.plan.addresses.ipv4?.vip}/`);
  }

  /** kill -9 of every process of that name in the pod. */
  killAll(name: string): void {
    this.signalAll(name, 'SIGKILL');
  }

  signalAll(name: string, signal: NodeJS.Signals): void {
    for (const { pid, argv } of this.#processes()) if (argv[0]?.split('/').at(-1) === name) process.kill(pid, signal);
  }

  /** SIGTERM to the first process of a container, as kubelet sends it. */
  stop(container: 'dhcp' | 'vip'): void {
    for (const { pid, argv, first } of this.#processes())
      if (argv.includes(`/mnt/libexec/${container}`) && first) process.kill(pid, 'SIGTERM');
  }

  #processes(): { readonly pid: number; readonly argv: readonly string[]; readonly first: boolean }[] {
    const inPod = readlinkSync(`/proc/${this.host.pid}/ns/net`);
    return readdirSync('/proc').flatMap((entry) => {
      try {
        if (!/^\d+$/.test(entry) || readlinkSync(`/proc/${entry}/ns/net`) !== inPod) return [];
        const first = /^NSpid:.*\t1$/m.test(readFileSync(`/proc/${entry}/status`, 'utf8'));
        return [{ pid: Number(entry), argv: readFileSync(`/proc/${entry}/cmdline`, 'utf8').split('\0'), first }];
      } catch {
        return []; // gone since the directory was read
      }
    });
  }
}

const POD_ADDRESS: Readonly<Record<EdgePlan['name'], string>> = { 'edge-a': '10.128.0.2', 'edge-b': '10.128.0.3' };

const clusterIp = (value: string): string =>
  value.replace('$(EDGE_A_PEER_SERVICE_HOST)', POD_ADDRESS['edge-a']).replace('$(EDGE_B_PEER_SERVICE_HOST)', POD_ADDRESS['edge-b']);
