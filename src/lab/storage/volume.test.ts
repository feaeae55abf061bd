import { expect, test } from 'vitest';
import { type Claim, isToBeRemoved, volumeFor } from './volume.ts';

const claim = (annotations: Record<string, string>, spec: Partial<Claim['spec']> = {}): Claim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'leases', namespace: 'edge', uid: 'u1', annotations },
  spec: { storageClassName: 'local-path', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '64Mi' } }, ...spec },
});
const chosen = { 'volume.kubernetes.io/selected-node': 'hub-b' };

test('a claim whose pod was placed gets a directory of that node', () => {
  expect(volumeFor(claim(chosen))).toEqual({
    node: 'hub-b',
    volume: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pvc-u1', annotations: { 'pv.kubernetes.io/provisioned-by': 'hcpio.io/lab-local-path' } },
      spec: {
        capacity: { storage: '64Mi' },
        volumeMode: 'Filesystem',
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: 'local-path',
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'edge', name: 'leases', uid: 'u1' },
        local: { path: '/var/lib/local-path/pvc-u1' },
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['hub-b'] }] }] },
        },
      },
    },
  });
});

test('a claim without a pod, of another class, or already bound is left alone', () => {
  const left = [claim({}), claim(chosen, { storageClassName: 'other' }), claim(chosen, { volumeName: 'pvc-u1' })];
  expect(left.map(volumeFor)).toEqual([undefined, undefined, undefined]);
});

test('a volume goes when its claim has gone, and not before; a foreign one never', () => {
  const volume = volumeFor(claim(chosen))?.volume;
  if (!volume) throw new Error('no volume');
  const foreign = { ...volume, metadata: { name: 'x' }, status: { phase: 'Released' } };
  expect([{ ...volume, status: { phase: 'Bound' } }, { ...volume, status: { phase: 'Released' } }, foreign].map(isToBeRemoved)).toEqual([
    false,
    true,
    false,
  ]);
});
