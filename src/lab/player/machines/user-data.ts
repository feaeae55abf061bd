/** The user data of a worker: a stub that says where the real config is, as HyperShift writes it (Ignition spec 3.2). */
import type { ClusterSpec } from '../hosted-cluster.ts';

export interface StubInput {
  readonly ignitionEndpoint: string;
  /** PEM of ignition's own authority. */
  readonly ca: string;
  readonly token: string;
  /** `namespace/name` */
  readonly nodePool: string;
  readonly configHash: string;
  readonly cluster: ClusterSpec;
}

export function userDataStub({ ignitionEndpoint, ca, token, nodePool, configHash, cluster }: StubInput): string {
  const header = (name: string, value: string) => ({ name, value });
  const proxy = proxyBlock(cluster);
  return JSON.stringify({
    ignition: {
      config: {
        merge: [
          {
            httpHeaders: [
              header('Authorization', `Bearer ${base64(token)}`),
              header('NodePool', nodePool),
              header('TargetConfigVersionHash', configHash),
            ],
            source: `https://${ignitionEndpoint}/ignition`,
          },
        ],
      },
      ...(proxy === undefined ? {} : { proxy }),
      security: { tls: { certificateAuthorities: [{ source: `data:text/plain;base64,${base64(ca)}` }] } },
      version: '3.2.0',
    },
  });
}

/** HyperShift adds to the user's list what it knows itself; the published names and the segment are not among it. */
function proxyBlock({ configuration, networking }: ClusterSpec) {
  const { httpProxy, httpsProxy, noProxy = '' } = configuration?.proxy ?? {};
  if (!httpProxy && !httpsProxy) return undefined;
  const networks = [...(networking.machineNetwork ?? []), ...networking.clusterNetwork, ...networking.serviceNetwork];
  const known = ['127.0.0.1', 'localhost', '.svc', '.cluster.local', '.local', ...networks.map(({ cidr }) => cidr)];
  const all = new Set([...known, ...noProxy.split(',').filter((entry) => entry !== '')]);
  return { ...(httpProxy ? { httpProxy } : {}), ...(httpsProxy ? { httpsProxy } : {}), noProxy: [...all].sort() };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
