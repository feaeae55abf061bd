import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ConfigFile } from '../../src/gateway/rendered.ts';
import { toolPath } from '../../tools/paths.ts';
import type { Daemon } from '../../tools/testing/daemon.ts';
import { ConfigMapVolume } from './config-map-volume.ts';
import type { Host } from './network.ts';

/** A running gateway: Envoy with the files of its ConfigMap, as the container would start it. */
export class GatewayProcess {
  readonly #host: Host;
  readonly envoy: Daemon;
  readonly #files: ConfigMapVolume;

  constructor(host: Host, files: readonly ConfigFile[], flags: readonly string[] = []) {
    this.#host = host;
    this.#files = new ConfigMapVolume(join(host.dir, 'etc', 'gateway'));
    this.configure(files);
    const envoy = [
      toolPath('envoy'),
      '--config-path',
      '/etc/hcpio/gateway/bootstrap.json',
      '--concurrency',
      '2',
      '--disable-hot-restart',
      '--log-level',
      'warning',
      ...flags,
    ];
    this.envoy = host.start('envoy', ['unshare', '--mount', 'sh', '-euc', POD, 'sh', host.dir, ...envoy]);
  }

  configure(files: readonly ConfigFile[]): void {
    this.#files.swap(files);
  }

  /** One page of the admin interface, over its socket. */
  async admin(path: string): Promise<{ readonly status: number; readonly body: string }> {
    return new Promise((resolve) => {
      const asked = request({ socketPath: join(this.#host.dir, 'run', 'envoy', 'admin.sock'), path }, (response) => {
        void text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }));
      });
      asked.on('error', () => resolve({ status: 0, body: '' }));
      asked.end();
    });
  }

  async ready(): Promise<void> {
    await this.envoy.until(async () => (await this.admin('/ready')).status === 200, AbortSignal.timeout(30_000));
  }

  async stats(...names: readonly string[]): Promise<Readonly<Record<string, number>>> {
    const { body } = await this.admin('/stats?usedonly');
    const all = new Map(body.split('\n').map((line) => line.split(': ') as [string, string]));
    return Object.fromEntries(names.map((name) => [name, Number(all.get(name) ?? 0)]));
  }
}

const NODE = join(import.meta.dirname, '..', '..', 'node_modules', 'node', 'bin', 'node');

/** Upstreams: whoever sends something there is told which one it met and under which address it came. */
export async function startBackends(host: Host, targets: readonly string[]): Promise<void> {
  const daemon = host.start('backends', [NODE, join(import.meta.dirname, 'programs', 'tls.ts'), 'listen', ...targets]);
  await daemon.until(async () => readFileSync(daemon.log, 'utf8').includes('listening'), AbortSignal.timeout(30_000));
}

const POD = `
dir=$1
shift
mount -t tmpfs tmpfs /etc
ln -s "$dir/etc" /etc/hcpio
mount --bind "$dir/run" /run
mkdir -p /run/envoy
exec "$@"
`;
