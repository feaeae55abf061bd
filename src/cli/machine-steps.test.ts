import { expect, test } from 'vitest';
import type { Connection } from './connection-view.ts';
import type { LeaseRow } from './lease-view.ts';
import { machineViews } from './machine-steps.ts';
import { changes } from './status-changes.ts';
import { statusText } from './status-text.ts';
import { type TenantView, tenantView } from './tenant-view.ts';
import { plain } from './terminal.ts';
import { PROVEN, tenant } from './testing/live-hub.ts';

const machines = [
  { mac: '02:00:00:00:01:01', machine: 'blue-1', addresses: ['192.168.100.10'] },
  { mac: '02:00:00:00:01:02', machine: 'blue-2', addresses: ['192.168.100.11'] },
];
const object = (name: string, rest: object) => ({ apiVersion: 'v1', kind: 'Any', metadata: { name, namespace: 'clusters-blue' }, ...rest });
const instances = [object('blue-1', { status: { phase: 'Running', nodeName: 'hub-b' } })];
const nodes = [
  object('m-1', {
    spec: { infrastructureRef: { name: 'blue-1' } },
    status: { nodeRef: { name: 'blue-1' }, conditions: [{ type: 'NodeHealthy', status: 'True' }] },
  }),
  object('m-2', { spec: { infrastructureRef: { name: 'blue-2' } }, status: {} }),
];
const leases: readonly LeaseRow[] = [
  {
    address: '192.168.100.10',
    mac: '02:00:00:00:01:01',
    machine: 'blue-1',
    state: 'leased',
    expires: undefined,
    reserved: true,
    edges: ['edge-a', 'edge-b'],
    difference: undefined,
  },
];
const dialled = (upstream: string, seenAs: string | null) => ({ machine: 'blue-1', upstream, seenAs }) as Connection;
const connections = [
  dialled('clusters-blue/kube-apiserver:6443', '10.128.0.5:1'),
  dialled('clusters-blue/kube-apiserver:6443', '10.128.0.5:2'),
  dialled('clusters-blue/ignition-server-proxy:443', '10.128.0.5:3'),
  dialled('clusters-blue/konnectivity-server:8091', null),
];
const endpoints = [...PROVEN.endpoints, { service: 'Konnectivity', upstream: 'clusters-blue/konnectivity-server:8091', ready: true }];

test('each machine is shown as far as it has come; a connection that nobody took is none', () => {
  expect(machineViews(machines, endpoints, { instances, nodes, leases, connections })).toEqual([
    {
      ...machines[0],
      phase: 'Running',
      hubNode: 'hub-b',
      lease: 'leased',
      reached: ['Ignition', 'APIServer'],
      registered: true,
      ready: true,
    },
    { ...machines[1], phase: 'absent', hubNode: undefined, lease: 'none', reached: [], registered: false, ready: undefined },
  ]);
});

test('what could not be asked is not known, which is another thing than not so', () => {
  expect(machineViews(machines.slice(0, 1), endpoints, {})).toEqual([machines[0]]);
});

const around = (change: object = {}): TenantView =>
  tenantView({
    tenant: { ...tenant('blue', { ...PROVEN, machines, endpoints }), apiVersion: '', kind: '' },
    around: { instances, nodes, leases, connections, notes: [], ...change },
  });

test('the table has the way of every machine, and the probes are those of the last look', () => {
  const probes = {
    ageSeconds: 12,
    results: [
      { group: 'DHCP', subject: 'DISCOVER', verdict: 'passed', message: 'edge-a offers an address', milliseconds: 42 },
      { group: 'TLS', subject: 'APIServer', verdict: 'failed', message: 'no answer', fix: 'look at its pods', milliseconds: 5000 },
    ],
  };
  const text = statusText(around({ probes }), 0, plain).join('\n');
  expect(text.slice(text.indexOf('MACHINES'))).toBe(`MACHINES
  machine  MAC                address         VM                lease          reached              Node
  blue-1   02:00:00:00:01:01  192.168.100.10  Running on hub-b  leased         Ignition, APIServer  Ready
  blue-2   02:00:00:00:01:02  192.168.100.11  absent            not asked for  nothing yet          not registered

PROBES from the segment, 12s ago
  ✓  DHCP  DISCOVER   42 ms    edge-a offers an address
  ✗  TLS   APIServer  5000 ms  no answer
           to do: look at its pods`);
});

test('where lines are printed, each step of a machine is one', () => {
  const before = around({ nodes: undefined, leases: [], connections: [] });
  expect(changes(before, around())).toEqual([
    'machine blue-1 has its lease of 192.168.100.10 (leased)',
    'machine blue-1 has reached Ignition',
    'machine blue-1 has reached APIServer',
    'machine blue-1 has registered as a Node',
    'machine blue-1 is Ready',
  ]);
  expect(changes(around(), before)).toEqual([]);
});
