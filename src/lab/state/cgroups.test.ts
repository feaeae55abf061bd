import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cgroupHost, LabCgroups } from './cgroups.ts';

const mount = (path: string, type: string, options: string) => `30 25 0:26 / ${path} rw,nosuid shared:4 - ${type} ${type} ${options}`;
const OTHER = '25 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw';

test('a machine with v2 alone has one hierarchy, which also accounts for processes', () => {
  expect(cgroupHost([OTHER, mount('/sys/fs/cgroup', 'cgroup2', 'rw,nsdelegate')].join('\n'))).toEqual({
    version: 'v2',
    tracking: '/sys/fs/cgroup',
    hierarchies: [{ path: '/sys/fs/cgroup', controllers: [] }],
  });
});

test('on a mixed machine v2 accounts for processes, where containers are not moved, and kubelets use v1', () => {
  const mounts = [
    mount('/c/cpu', 'cgroup', 'rw,cpu'),
    mount('/c/unified', 'cgroup2', 'rw'),
    mount('/c/systemd', 'cgroup', 'rw,name=systemd'),
  ];
  expect(cgroupHost(mounts.join('\n'))).toEqual({
    version: 'v1 with v2 beside it',
    tracking: '/c/unified',
    hierarchies: [
      { path: '/c/cpu', controllers: ['cpu'] },
      { path: '/c/systemd', controllers: ['name=systemd'] },
    ],
  });
});

test('on a machine with v1 alone the pids hierarchy accounts for processes', () => {
  const mounts = [mount('/c/cpu', 'cgroup', 'rw,cpu'), mount('/c/pids', 'cgroup', 'rw,pids')];
  expect(cgroupHost(mounts.join('\n'))).toMatchObject({ version: 'v1', tracking: '/c/pids' });
});

test('a machine without cgroups is told what to mount', () => {
  expect(() => cgroupHost(OTHER)).toThrow('no cgroup filesystem is mounted: mount -t cgroup2 none /sys/fs/cgroup');
});

test('all pods of a lab together weigh as much as several processes beside them', async () => {
  await using dir = await mkdtempDisposable(join(tmpdir(), 'hcpio-cgroups-'));
  const hierarchies = [{ path: dir.path, controllers: ['cpu'] }];
  await new LabCgroups({ version: 'v1', tracking: dir.path, hierarchies }, 'demo').addNode('hub-a');
  expect(await readFile(join(dir.path, 'hcpio-lab-demo/cpu.shares'), 'utf8')).toBe('8192');
});
