import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { LabStatus } from '../../../src/lab/status.ts';
import { hcpioLab, hcpioLabWell, startHcpioLab } from '../testing/cli.ts';
import { machineState, processesOf } from '../testing/machine.ts';
import { addNamespace, addressOf, ask, BUSYBOX, eventually, execIn, pod, waitForPods } from '../testing/pods.ts';
import { lab, machineBefore, NAME } from './lab.ts';

const nad = (namespace: string, name: string, address: string) => ({
  apiVersion: 'k8s.cni.cncf.io/v1',
  kind: 'NetworkAttachmentDefinition',
  metadata: { name, namespace },
  spec: {
    config: JSON.stringify({
      cniVersion: '1.0.0',
      name,
      type: 'bridge',
      bridge: 'br100',
      ipam: { type: 'static', addresses: [{ address }] },
    }),
  },
});
/** To which ports the UDP packets of a recording go. Little-endian pcap of Ethernet frames: tcpdump writes it in the machine's own order. */
function udpPorts(pcap: Buffer): ReadonlySet<number> {
  const ports = new Set<number>();
  // 24 bytes of the file's own header, then 16 per packet, the third word of which is its length.
  for (let at = 24; at + 16 <= pcap.length; at += 16 + pcap.readUInt32LE(at + 8)) {
    const frame = pcap.subarray(at + 16, at + 16 + pcap.readUInt32LE(at + 8));
    const [isIpv4, isUdp] = [frame.length > 37 && frame.readUInt16BE(12) === 0x0800, frame[23] === 17];
    if (isIpv4 && isUdp) ports.add(frame.readUInt16BE(14 + ((frame[14] ?? 0) & 0xf) * 4 + 2));
  }
  return ports;
}
const attached = (network: string) => ({ 'k8s.v1.cni.cncf.io/networks': network });

test('the command returned with everything standing, and says so', async () => {
  const status = JSON.parse(await hcpioLabWell('status', '--name', NAME, '-o', 'json')) as LabStatus;
  expect(status.nodes.map(({ node, ready }) => `${node.name} ${ready}`)).toEqual(['hub-a Ready', 'hub-b Ready']);
  expect(status.parts.filter((part) => !part.alive)).toEqual([]);
  expect([status.api.answers, status.policiesEnforced]).toEqual(['ok', true]);
  expect(status.standIns.map((standIn) => standIn.name)).toContain('storage');
});

test('a second lab of the same name is refused', async () => {
  const again = await hcpioLab('up', '--name', NAME);
  expect(again).toEqual({
    code: 1,
    stdout: '',
    stderr: `hcpio: lab ${NAME} is already up: look at it with \`hcpio lab status\`, or end it with \`hcpio lab down --name ${NAME}\`\n`,
  });
});

test('pods of two nodes, and two pods of one node, reach each other and find each other by name', async () => {
  await addNamespace(lab, 'reach');
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'b', namespace: 'reach' },
    spec: { selector: { app: 'b' }, ports: [{ port: 80 }] },
  };
  const pods = [pod({ name: 'a', namespace: 'reach', node: 'hub-a' }), pod({ name: 'a2', namespace: 'reach', node: 'hub-a' })];
  await lab.apply([...pods, pod({ name: 'b', namespace: 'reach', node: 'hub-b' }), service]);
  await waitForPods(lab, 'reach');
  expect(await ask(lab, 'reach', 'a', await addressOf(lab, 'reach', 'b'))).toBe('b');
  expect(await ask(lab, 'reach', 'b', await addressOf(lab, 'reach', 'a'))).toBe('a');
  expect(await ask(lab, 'reach', 'a', await addressOf(lab, 'reach', 'a2'))).toBe('a2');
  const clusterIp = await lab.kubectl(['get', 'service', 'b', '-n', 'reach', '-o', 'jsonpath={.spec.clusterIP}']);
  expect(
    await eventually(
      () => ask(lab, 'reach', 'a', clusterIp),
      (seen) => seen === 'b',
    ),
  ).toBe('b');
  expect(await execIn(lab, 'reach', 'a', '/busybox', 'nslookup', 'b.reach.svc.cluster.local')).toContain(`Address: ${clusterIp}`);
});

describe('a segment', () => {
  beforeAll(async () => {
    await addNamespace(lab, 'segment');
    await lab.apply([
      nad('segment', 'a', '192.168.100.21/24'),
      nad('segment', 'b', '192.168.100.22/24'),
      pod({ name: 'a', namespace: 'segment', node: 'hub-a', annotations: attached('a') }),
      pod({ name: 'b', namespace: 'segment', node: 'hub-b', annotations: attached('b') }),
    ]);
    await waitForPods(lab, 'segment');
  });

  test('carries frames between pods of two nodes, and to its router', async () => {
    expect(await ask(lab, 'segment', 'a', '192.168.100.22')).toBe('b');
    const ping = await lab.run([BUSYBOX, 'ping', '-c', '1', '-W', '5', '192.168.100.22'], { netns: `${NAME}-router-vlan100` });
    expect(ping).toContain('1 packets received');
  });

  test('is not reached by pods that are not attached to it, nor from another segment', async () => {
    await lab.apply([pod({ name: 'outside', namespace: 'segment', node: 'hub-a' })]);
    await waitForPods(lab, 'segment');
    expect(await ask(lab, 'segment', 'outside', await addressOf(lab, 'segment', 'b'))).toBe('b');
    expect(await ask(lab, 'segment', 'outside', '192.168.100.22')).toBe(undefined);
    const router = lab.segments.find(({ name }) => name === 'vlan200')?.router ?? expect.fail('no vlan200');
    const ping = (address: string) => lab.run([BUSYBOX, 'ping', '-c', '1', '-W', '1', address], { netns: router.netns });
    expect(await ping(router.address)).toContain('1 packets received');
    await expect(ping('192.168.100.22')).rejects.toThrow();
  });

  test('does not lead into the nodes, however one asks', async () => {
    const router = { netns: `${NAME}-router-vlan100` };
    await lab.run(['ip', 'route', 'add', '10.90.0.0/24', 'dev', 'vlan0'], router);
    await lab.run(['ip', 'addr', 'add', '10.90.0.77/24', 'dev', 'vlan0'], router);
    for (const node of lab.nodes) {
      await expect(lab.run([BUSYBOX, 'ping', '-c', '1', '-W', '1', node.address], router)).rejects.toThrow();
      expect(await lab.run(['ip', 'neigh', 'show', node.address], router)).not.toContain('lladdr');
    }
    await lab.run(['ip', 'addr', 'del', '10.90.0.77/24', 'dev', 'vlan0'], router);
  });

  test('can be recorded: a question for an address and one for a name are in the file', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'hcpio-capture-'));
    const file = join(dir, 'vlan100.pcap');
    const { ended } = startHcpioLab(['capture', 'vlan100', '--name', NAME, '--out', file]);
    const router = lab.segments.find(({ name }) => name === 'vlan100')?.router ?? expect.fail('no vlan100');
    const ports = await eventually(
      async () => {
        // Nobody answers either of them: it is the questions that cross the segment.
        const discover = [BUSYBOX, 'udhcpc', '-f', '-q', '-n', '-t', '1', '-T', '1', '-i', router.interface, '-s', '/bin/true'];
        await lab.run(discover, { netns: router.netns }).catch(() => '');
        await execIn(lab, 'segment', 'a', '/busybox', 'nslookup', 'example.com', router.address).catch(() => '');
        return udpPorts(await readFile(file).catch(() => Buffer.alloc(0)));
      },
      (seen) => seen.has(67) && seen.has(53),
    );
    expect([ports.has(67), ports.has(53)]).toEqual([true, true]);
    // As Ctrl-C does, which reaches all of a terminal.
    for (const { pid } of processesOf(NAME).filter(({ command }) => command.startsWith('tcpdump '))) process.kill(pid, 'SIGINT');
    expect((await ended).code).toBe(0);
    await rm(dir, { recursive: true });
  });

  test('an attachment of another namespace is not given to a pod', async () => {
    await addNamespace(lab, 'stranger');
    await lab.apply([pod({ name: 'thief', namespace: 'stranger', annotations: attached('segment/a') })]);
    const events = () => lab.kubectl(['get', 'events', '-n', 'stranger', '-o', 'jsonpath={.items[*].message}']);
    const seen = await eventually(events, (text) => text.includes('namespace isolation'));
    expect(seen).toContain('namespace isolation enabled, annotation violates permission');
    await lab.kubectl(['delete', 'namespace', 'stranger', '--wait=false']);
  });
});

test('a NetworkPolicy cuts a connection between nodes and within one, and a label opens it again', async () => {
  await addNamespace(lab, 'policy');
  const far = pod({ name: 'far', namespace: 'policy', node: 'hub-b' });
  const near = pod({ name: 'near', namespace: 'policy', node: 'hub-a' });
  await lab.apply([pod({ name: 'server', namespace: 'policy', node: 'hub-a' }), far, near]);
  await waitForPods(lab, 'policy');
  const address = await addressOf(lab, 'policy', 'server');
  const both = () => Promise.all(['far', 'near'].map((from) => ask(lab, 'policy', from, address)));
  expect(await eventually(both, (seen) => !seen.includes(undefined))).toEqual(['server', 'server']);
  const policy = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'friends', namespace: 'policy' },
    spec: { podSelector: { matchLabels: { app: 'server' } }, ingress: [{ from: [{ podSelector: { matchLabels: { friend: 'yes' } } }] }] },
  };
  await lab.apply([policy]);
  // More than once: one who is slow for a moment is not cut.
  const often = async () => [await both(), await both(), await both()].flat();
  await eventually(often, (seen) => seen.every((answer) => answer === undefined));
  await lab.kubectl(['label', 'pod', 'far', 'near', '-n', 'policy', 'friend=yes']);
  expect(await eventually(both, (seen) => !seen.includes(undefined))).toEqual(['server', 'server']);
});

test('what a pod writes into a claim is there for the pod that comes after it, and gone when the claim is', async () => {
  await addNamespace(lab, 'storage');
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'leases', namespace: 'storage' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '16Mi' } } },
  };
  await lab.apply([claim, pod({ name: 'first', namespace: 'storage', claim: 'leases' })]);
  await waitForPods(lab, 'storage');
  await execIn(lab, 'storage', 'first', '/busybox', 'sh', '-c', 'echo kept > /data/file');
  await lab.kubectl(['delete', 'pod', 'first', '-n', 'storage']);
  await lab.apply([pod({ name: 'second', namespace: 'storage', claim: 'leases' })]);
  await waitForPods(lab, 'storage');
  expect(await execIn(lab, 'storage', 'second', '/busybox', 'cat', '/data/file')).toBe('kept\n');
  const volumes = () => lab.kubectl(['get', 'pv', '-o', 'jsonpath={.items[?(@.spec.claimRef.namespace=="storage")].metadata.name}']);
  expect(await volumes()).toMatch(/^pvc-/);
  await lab.kubectl(['delete', 'pod/second', 'pvc/leases', '-n', 'storage']);
  expect(await eventually(volumes, (text) => text === '')).toBe('');
});

test('pod security is enforced where a namespace asks for it', async () => {
  await addNamespace(lab, 'restricted', { 'pod-security.kubernetes.io/enforce': 'restricted' });
  await expect(lab.apply([pod({ name: 'rootish', namespace: 'restricted' })])).rejects.toThrow('violates PodSecurity "restricted:latest"');
});

test('a part that was stopped can be started again as it was', async () => {
  const before_ = await lab.find('kube-apiserver');
  await lab.stop('kube-apiserver');
  await expect(lab.kubectl(['get', 'nodes'])).rejects.toThrow('was refused');
  const again = await lab.restart('kube-apiserver');
  expect(again.pid).not.toBe(before_?.pid);
  const nodes = () => lab.kubectl(['get', 'nodes', '-o', 'name']).catch(() => '');
  expect(await eventually(nodes, (text) => text !== '')).toBe('node/hub-a\nnode/hub-b\n');
});

test('logs of pods and of parts can be read, and commands run where they should with their own exit status', async () => {
  const dns = ['logs', '-n', 'openshift-dns', 'daemonset/dns-default'];
  expect(await lab.kubectl(dns)).toContain('CoreDNS');
  expect(await hcpioLabWell('logs', 'etcd', '--name', NAME, '--lines', '1')).toMatch(/^\{.*\}\n$/);
  expect(await hcpioLab('exec', 'hub-b', '--name', NAME, '--', 'sh', '-c', 'hostname; exit 7')).toMatchObject({
    code: 7,
    stdout: 'hub-b\n',
  });
  expect(await hcpioLabWell('exec', 'hub-cp', '--name', NAME, '--', 'kubectl', 'get', 'nodes', '-o', 'name')).toBe(
    'node/hub-a\nnode/hub-b\n',
  );
  const shell = startHcpioLab(['shell', 'hub-b', '--name', NAME], {}, ['sh', '-c', 'echo "hostname; exit 5" | "$0" "$@"']);
  expect(await shell.ended).toMatchObject({ code: 5, stdout: 'hub-b\n' });
});

test('the kubeconfig of the hub can be had', async () => {
  expect(await hcpioLabWell('kubeconfig', '--name', NAME)).toBe(await readFile(lab.hub.kubeconfig, 'utf8'));
});

test('the lab and the machine do not reach each other', async () => {
  // No interface of the lab is in the machine's namespace, so there is nothing that a packet could take.
  expect(machineState()).toEqual(machineBefore);
  const namespaces = [
    lab.fabric.netns,
    lab.hub.netns,
    ...lab.nodes.map((node) => node.netns),
    ...lab.segments.map((segment) => segment.router.netns),
  ];
  for (const netns of namespaces) {
    expect(await lab.run(['ip', 'route', 'show', 'default'], { netns }), netns).toBe('');
  }
});
