/** What a pool's machines boot with: a token, the user data that carries it, and the config that the token opens. */
import { randomUUID } from 'node:crypto';
import { isAlreadyExists } from '../../../kube/errors.ts';
import { keyOf } from '../../../kube/object.ts';
import type { ReadyEndpoints } from '../endpoints.ts';
import type { HostedCluster, HostedControlPlane, Manifest } from '../hosted-cluster.ts';
import { NODE_POOL_ANNOTATION, type NodePool } from '../machines/node-pool.ts';
import { ignitionPayload } from '../machines/payload.ts';
import { userDataStub } from '../machines/user-data.ts';
import { secretOf } from '../pki/secrets.ts';
import { type HubView, RESOURCES } from './hub-view.ts';
import type { Writer } from './write.ts';

/** A pool, its cluster, and all that must be known before a machine can be made. */
export interface Built {
  readonly pool: NodePool;
  readonly cluster: HostedCluster;
  readonly controlPlane: HostedControlPlane;
  readonly endpoints: ReadyEndpoints & { readonly ignition: string };
  readonly configHash: string;
}

/** True when all of it is there. The token is created and never changed: machines that already run hold it. */
export async function provision(built: Built, view: HubView, writer: Writer, signal: AbortSignal): Promise<boolean> {
  const { pool, cluster, controlPlane, endpoints, configHash } = built;
  const suffix = `${pool.metadata.name}-${configHash}`;
  const annotations = { [NODE_POOL_ANNOTATION]: keyOf(pool.metadata) };
  const token = secretText(view, controlPlane, `token-${suffix}`, 'token');
  if (token === undefined) {
    await writer.client.create(RESOURCES.Secret, tokenSecret(built, `token-${suffix}`, annotations), signal).catch((failure: unknown) => {
      if (!isAlreadyExists(failure)) throw failure;
    });
    return false;
  }
  const value = userDataStub({
    ignitionEndpoint: endpoints.ignition,
    ca: secretText(view, controlPlane, 'ignition-server-ca-cert', 'tls.crt') ?? '',
    token,
    nodePool: keyOf(pool.metadata),
    configHash,
    cluster: cluster.spec,
  });
  const disableTemplating = Buffer.from('true').toString('base64');
  await writer.apply(annotated(secretOf(controlPlane, `user-data-${suffix}`, { disableTemplating, value }), annotations), signal);
  const payload = annotated(secretOf(controlPlane, `ignition-payload-${suffix}`, { payload: payloadOf(built, view) }), annotations);
  await writer.apply(payload, signal);
  return true;
}

function tokenSecret({ pool, controlPlane }: Built, name: string, annotations: Readonly<Record<string, string>>): Manifest {
  const { image } = pool.spec.release;
  const version = /:(\d+\.\d+\.\d+)/.exec(image)?.[1] ?? '';
  const data = { token: randomUUID(), release: image, 'release-version': version, config: '', ...EMPTY_HASHES };
  return annotated(secretOf(controlPlane, name, data), {
    ...annotations,
    'hypershift.openshift.io/ignition-config': 'true',
    'hypershift.openshift.io/node-pool-upgrade-type': 'Replace',
  });
}

function payloadOf({ cluster, controlPlane, endpoints }: Built, view: HubView): string {
  const text = (secret: string, key: string) => secretText(view, controlPlane, secret, key) ?? '';
  const bundle = view.get('ConfigMap', controlPlane.metadata.namespace ?? '', 'kubelet-client-ca')?.['data'];
  return ignitionPayload({
    cluster: cluster.spec,
    endpoints,
    bootstrapKubeconfig: text('bootstrap-kubeconfig', 'kubeconfig'),
    kubeletClientCa: (bundle as { readonly 'ca.crt'?: string } | undefined)?.['ca.crt'] ?? '',
    konnectivity: {
      ca: text('konnectivity-agent', 'ca.crt'),
      cert: text('konnectivity-agent', 'tls.crt'),
      key: text('konnectivity-agent', 'tls.key'),
    },
  });
}

function secretText(view: HubView, { metadata }: HostedControlPlane, secret: string, key: string): string | undefined {
  const data = view.get('Secret', metadata.namespace ?? '', secret)?.['data'] as Readonly<Record<string, string>> | undefined;
  const value = data?.[key];
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString();
}

/** There, because HyperShift has them; empty, because nothing in the lab reads them. */
const EMPTY_HASHES = {
  'additional-trust-bundle-hash': '',
  'cloud-config-hash': '',
  'hc-configuration-hash': '',
  'os-stream': '',
  'pull-secret-hash': '',
};

const annotated = (object: Manifest, annotations: Readonly<Record<string, string>>): Manifest => ({
  ...object,
  metadata: { ...object.metadata, annotations },
});
