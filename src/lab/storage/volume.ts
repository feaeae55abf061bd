/** Which volume a claim gets: a directory of the node that the scheduler chose for its first pod. */
import type { KubeObject } from '../../kube/object.ts';
import { PROVISIONER, STORAGE_CLASS } from './names.ts';

/** As a node sees it; from outside it is below the node's directory. */
export const VOLUMES_DIR = '/var/lib/local-path';

/** The scheduler's word to the provisioner. Without it no pod has asked for the claim yet. */
const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';

export interface Claim extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly namespace: string; readonly uid: string };
  readonly spec: {
    readonly storageClassName?: string;
    readonly volumeName?: string;
    readonly volumeMode?: string;
    readonly accessModes?: readonly string[];
    readonly resources?: { readonly requests?: { readonly storage?: string } };
  };
}

interface NodeChoice {
  readonly key: string;
  readonly operator: 'In';
  readonly values: readonly string[];
}

export interface Volume extends KubeObject {
  readonly spec: {
    readonly capacity: { readonly storage: string };
    readonly volumeMode: 'Filesystem';
    readonly accessModes: readonly string[];
    readonly persistentVolumeReclaimPolicy: string;
    readonly storageClassName: string;
    readonly claimRef: {
      readonly apiVersion: 'v1';
      readonly kind: string;
      readonly namespace: string;
      readonly name: string;
      readonly uid: string;
    };
    readonly local: { readonly path: string };
    readonly nodeAffinity: {
      readonly required: { readonly nodeSelectorTerms: readonly { readonly matchExpressions: readonly NodeChoice[] }[] };
    };
  };
  readonly status?: { readonly phase?: string };
}

/** Undefined while there is nothing to do for the claim. */
export function volumeFor(claim: Claim): { readonly node: string; readonly volume: Volume } | undefined {
  const { metadata, spec } = claim;
  const node = metadata.annotations?.[SELECTED_NODE];
  if (spec.storageClassName !== STORAGE_CLASS || spec.volumeName || node === undefined || metadata.deletionTimestamp) return undefined;
  const name = `pvc-${metadata.uid}`;
  return {
    node,
    volume: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name, annotations: { [PROVISIONED_BY]: PROVISIONER } },
      spec: {
        // A wish, not a limit: a directory has no quota.
        capacity: { storage: spec.resources?.requests?.storage ?? '1Gi' },
        volumeMode: 'Filesystem',
        accessModes: spec.accessModes ?? ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: STORAGE_CLASS,
        claimRef: { apiVersion: 'v1', kind: claim.kind, namespace: metadata.namespace, name: metadata.name, uid: metadata.uid },
        local: { path: `${VOLUMES_DIR}/${name}` },
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] }] },
        },
      },
    },
  };
}

/** Ours, and its claim is gone: the directory and the volume go too. */
export function isToBeRemoved({ metadata, spec, status }: Volume): boolean {
  return (
    metadata.annotations?.[PROVISIONED_BY] === PROVISIONER &&
    status?.phase === 'Released' &&
    spec.persistentVolumeReclaimPolicy === 'Delete' &&
    !metadata.deletionTimestamp
  );
}
