import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { fail, type Seen } from '../kube/testing/protocol-server.ts';
import { readAccessLine } from './access-log.ts';
import { namesOf } from './connection-names.ts';
import { connectionOf, onceEach } from './connection-view.ts';
import { run } from './program.ts';
import { plain } from './terminal.ts';
import { hcpio } from './testing/hcpio.ts';
import { LiveHub, PROVEN, tenant } from './testing/live-hub.ts';

/** As the gateways wrote them in the lab. */
const INFO = '[2026-11-15 12:53:40.318][1][info][main] [source/server/server.cc:1015] starting main dispatch loop';
const MADE =
  '{"bytesFromClient":0,"bytesToClient":0,"client":"192.168.100.235:39878","connection":1053,"details":null,"durationMs":28,"event":"TcpUpstreamConnected","flags":"-","listener":"192.168.100.3:443","seenAs":"10.128.1.5:50650","sni":"ignition.blue.example.com","start":"2026-11-15T12:56:37.788Z","upstream":"clusters-blue/ignition-server-proxy:443","upstreamAddress":"172.30.28.179:443"}';
const ENDED =
  '{"bytesFromClient":693,"bytesToClient":13002,"client":"192.168.100.235:39878","connection":1053,"details":null,"durationMs":1001,"event":"TcpConnectionEnd","flags":"-","listener":"192.168.100.3:443","seenAs":"10.128.1.5:50650","sni":"ignition.blue.example.com","start":"2026-11-15T12:56:37.788Z","upstream":"clusters-blue/ignition-server-proxy:443","upstreamAddress":"172.30.28.179:443"}';
const OPEN =
  '{"bytesFromClient":0,"bytesToClient":0,"client":"192.168.100.235:50504","connection":1553,"details":null,"durationMs":23,"event":"TcpUpstreamConnected","flags":"-","listener":"192.168.100.3:6443","seenAs":"10.128.0.5:63460","sni":null,"start":"2026-11-15T12:58:22.835Z","upstream":"clusters-blue/kube-apiserver:6443","upstreamAddress":"172.30.198.163:6443"}';
const UNREACHED =
  '{"bytesFromClient":0,"bytesToClient":0,"client":"192.168.100.5:57580","connection":48,"details":null,"durationMs":0,"event":"TcpConnectionEnd","flags":"UF,URX","listener":"192.168.100.3:6443","seenAs":null,"sni":null,"start":"2026-11-15T12:53:58.483Z","upstream":"clusters-blue/kube-apiserver:6443","upstreamAddress":"172.30.198.163:6443"}';
const REFUSED =
  '{"client":"192.168.100.77:40112","event":"Refused","flags":"NR","listener":"192.168.100.3:443","sni":"kube-apiserver.mgmt.example.com","start":"2026-11-15T12:57:01.002Z"}';

const BLUE = {
  ...PROVEN,
  addresses: { ipv4: { ...PROVEN.addresses.ipv4, prober: '192.168.100.5' } },
  machines: [{ mac: '02:cc:1d:9a:cf:a3', machine: 'blue-7adb1-dr2zj', addresses: ['192.168.100.235'] }],
};
const vm = (creationTimestamp: string) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'blue-7adb1-dr2zj', namespace: 'clusters-blue', creationTimestamp },
});

const LOGS = {
  'edge-a-0': [INFO, UNREACHED, OPEN],
  'edge-b-0': [INFO, MADE, ENDED, REFUSED],
};

/** A hub on which the logs of the gateways can be read. */
async function hubWith(logs: Readonly<Record<string, readonly string[]>> = LOGS, made = '2026-11-15T12:54:01Z'): Promise<LiveHub> {
  const hub = await LiveHub.start(tenant('blue', BLUE));
  hub.server.put('virtualmachines', vm(made));
  for (const [pod, lines] of Object.entries(logs)) hub.server.failNext(isLogOf(pod), log(lines));
  return hub;
}
const isLogOf =
  (pod: string) =>
  ({ path }: Seen): boolean =>
    path === `/api/v1/namespaces/clusters-blue-edge/pods/${pod}/log`;
const log = (lines: readonly string[]) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/plain' });
  response.end(lines.map((line, index) => `2026-11-15T12:59:0${index}.000000000Z ${line}\n`).join(''));
};

const connections = (hub: LiveHub, ...args: readonly string[]) =>
  hcpio(['connections', 'clusters/blue', '--kubeconfig', hub.kubeconfig, ...args]);

test('each connection is one line with the VM behind it, oldest first, whichever edge carried it', async () => {
  await using hub = await hubWith();
  expect(await connections(hub)).toEqual({
    status: 0,
    err: '',
    out: `
TIME                  EDGE    VM                ADDRESS          DIALLED                    UPSTREAM                      SENT  RECEIVED     TOOK  END
2026-11-15T12:56:37Z  edge-b  blue-7adb1-dr2zj  192.168.100.235  ignition.blue.example.com:443  ignition-server-proxy:443    693 B   13.0 kB     1.0s  closed
2026-11-15T12:57:01Z  edge-b  -                 192.168.100.77   kube-apiserver.mgmt.example.com:443  -                                -         -        -  refused: no such name is published here
2026-11-15T12:58:22Z  edge-a  blue-7adb1-dr2zj  192.168.100.235  192.168.100.3:6443         kube-apiserver:6443              -         -        -  open
`.slice(1),
  });
});

test('the prober is left out unless it is asked for, and only the last are shown when only they are', async () => {
  await using hub = await hubWith();
  const { out } = await connections(hub, '--all', '--tail', '4');
  expect(out.split('\n')[1]).toBe(
    '2026-11-15T12:53:58Z  edge-a  (prober)          192.168.100.5    192.168.100.3:6443         kube-apiserver:6443            0 B       0 B     0 ms  the service did not take the connection, however often',
  );
  await using again = await hubWith();
  expect((await connections(again, '--tail', '1')).out.split('\n').slice(1)).toEqual([
    expect.stringMatching(/^2026-11-15T12:58:22Z .* open$/),
    '',
  ]);
});

test('for programs it is the line of the gateway with the edge and the machine', async () => {
  await using hub = await hubWith();
  const lines = (await connections(hub, '-o', 'json')).out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines).toEqual([
    { edge: 'edge-b', machine: 'blue-7adb1-dr2zj', ...(JSON.parse(ENDED) as object) },
    { edge: 'edge-b', machine: null, ...(JSON.parse(REFUSED) as object) },
    { edge: 'edge-a', machine: 'blue-7adb1-dr2zj', ...(JSON.parse(OPEN) as object) },
  ]);
});

test('one machine only, and the last minutes only', async () => {
  await using hub = await hubWith();
  const { out } = await connections(hub, '--machine', 'blue-7adb1-dr2zj', '--since', '10m', '-o', 'json');
  expect(out.split('\n').length).toBe(3);
  expect(hub.server.requests.flatMap(({ path, query }) => (path.endsWith('/log') ? [query] : []))).toEqual([
    { container: 'gateway', sinceSeconds: '600', timestamps: 'true' },
    { container: 'gateway', sinceSeconds: '600', timestamps: 'true' },
  ]);
  await using other = await hubWith();
  expect(await connections(other, '--machine', 'blue-1')).toEqual({
    status: 0,
    out: '',
    err: 'hcpio: there is no machine blue-1; there are blue-7adb1-dr2zj\n',
  });
});

test('a connection that is older than the machine that has its address now was not that one’s', () => {
  const { machines, addresses } = BLUE;
  const nameOf = namesOf({ machines, addresses, madeAt: new Map([['blue-7adb1-dr2zj', '2026-11-15T12:57:00Z']]) });
  const seen = [MADE, ENDED, OPEN].flatMap((line) => connectionOf('edge-a', line, nameOf) ?? []);
  expect(onceEach(seen).map(({ connection, event, machine }) => [connection, event, machine])).toEqual([
    [1053, 'TcpConnectionEnd', null],
    [1553, 'TcpUpstreamConnected', 'blue-7adb1-dr2zj'],
  ]);
});

test('what else stands in the log is no connection, and what a later gateway adds is kept', () => {
  expect([INFO, '{"event":"Started"}', '{"event":', ''].map(readAccessLine)).toEqual([undefined, undefined, undefined, undefined]);
  expect(readAccessLine(REFUSED.replace('{', '{"more":1,'))).toEqual({ ...(JSON.parse(REFUSED) as object), more: 1 });
});

test('without the right to see VMs the name is that of today, and it says so', async () => {
  await using hub = await hubWith(LOGS, '2026-11-15T12:58:00Z');
  hub.server.failNext(
    ({ path }) => path.endsWith('/virtualmachines'),
    (response) => fail(response, 403, 'Forbidden', 'virtualmachines is forbidden'),
  );
  const { status, out, err } = await connections(hub, '-o', 'json');
  expect([status, out.split('\n')[0]?.includes('"machine":"blue-7adb1-dr2zj"'), err]).toEqual([
    0,
    true,
    'hcpio: you may not list virtualmachines in namespace clusters-blue, so every connection is given to the machine that has its address now\n',
  ]);
});

test('an edge that is away is told, and the other is shown', async () => {
  await using hub = await hubWith({ 'edge-a-0': LOGS['edge-a-0'] });
  const { status, out, err } = await connections(hub);
  expect([status, out.split('\n').length, err]).toEqual([
    1,
    3,
    expect.stringMatching(/^hcpio: the log of edge-b could not be read: .+\n$/),
  ]);
});

test('none of them, no right, no edges: one line and 2', async () => {
  await using away = await hubWith({});
  expect(await connections(away)).toEqual({
    status: 2,
    out: '',
    err: expect.stringMatching(/^hcpio: the log of edge-a could not be read: .+; the log of edge-b could not be read: .+\n$/) as string,
  });
  await using hub = await hubWith({});
  for (const pod of ['edge-a-0', 'edge-b-0'])
    hub.server.failNext(isLogOf(pod), (response) => fail(response, 403, 'Forbidden', 'pods "edge-a-0" is forbidden'));
  expect(await connections(hub)).toEqual({
    status: 2,
    out: '',
    err: 'hcpio: you may not read the logs of namespace clusters-blue-edge: it takes the right to get pods/log there\n',
  });
  await using young = await LiveHub.start(tenant('blue', {}));
  expect(await connections(young)).toEqual({
    status: 2,
    out: '',
    err: 'hcpio: clusters/blue has no edges yet; hcpio status says what it waits for\n',
  });
  expect((await hcpio(['connections', 'blue', '--since', 'yesterday'])).err).toBe(
    "hcpio: option '--since <duration>' argument 'yesterday' is invalid. not a duration such as 90s, 10m or 2h\n",
  );
});

test('followed, it goes on where it was, also when a log ends, until nobody reads it', async () => {
  await using hub = await hubWith({ 'edge-b-0': [] });
  hub.server.failNext(isLogOf('edge-a-0'), log([MADE]));
  const follows = ({ path, query }: Seen): boolean => path.endsWith('edge-a-0/log') && query['follow'] === 'true';
  // The last line comes once more, because the API knows whole seconds only.
  hub.server.failNext(follows, log([MADE, ENDED]));
  const gone = new AbortController();
  let out = '';
  const ended = run(['connections', 'clusters/blue', '-f', '-o', 'json', '--kubeconfig', hub.kubeconfig], {
    out: (text) => {
      out += text;
      if (out.split('\n').length > 3) gone.abort(new Error('enough'));
    },
    err: () => {},
    stdin: () => Promise.resolve(new Uint8Array()),
    theme: plain,
    command: 'hcpio',
    gone: gone.signal,
  });
  hub.server.failNext(follows, (response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write(`2026-11-15T12:59:09.000000000Z ${OPEN}\n`);
  });
  expect(await ended).toBe(0);
  expect(
    out
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { event: string }).event),
  ).toEqual(['TcpUpstreamConnected', 'TcpConnectionEnd', 'TcpUpstreamConnected']);
  expect(hub.server.requests.filter(follows).map(({ query }) => query['sinceTime'])).toEqual([
    '2026-11-15T12:59:00.000000000Z',
    '2026-11-15T12:59:01.000000000Z',
  ]);
});
