import { expect, test } from 'vitest';
import { earlierIn, earlierOf } from '../../../hosted-cluster/earlier.ts';
import type { SegmentProof } from '../../segment/proof.ts';
import { edgeStates } from './edges.ts';
import { planFor } from './plan.ts';
import { endpointStates } from './probe.ts';
import { reportedProof } from './reported-proof.ts';
import { statusFor } from './status.ts';
import { blueTenant, edgePodOf, type TenantChange } from './testing/tenant.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const LATER = NOW + 60_000;
const proof: SegmentProof = {
  outcome: 'proven',
  reason: 'Proven',
  message: 'fine',
  holder: 'edge-a',
  answered: ['APIServer'],
  rogueServers: [],
  serials: [{ edge: 'edge-a', zone: 'blue.example.com', serial: 7 }],
};
const conditions = [{ type: 'Ready', status: 'True', reason: 'Ready', message: 'fine' }] as const;

function status(change: TenantChange = {}, now = NOW) {
  const tenant = blueTenant({ pods: [edgePodOf('edge-a'), edgePodOf('edge-b', { ready: false })], ...change });
  const planned = planFor(tenant);
  const { plan } = planned;
  if (plan === undefined || tenant.observed === undefined) throw new Error('no plan');
  const seen = {
    edges: planned.verdict === 'go' ? edgeStates(plan, tenant.pods) : [],
    endpoints: endpointStates(plan, tenant.observed),
    proof,
  };
  return statusFor(tenant, planned, seen, conditions, now);
}

test('the status is what was planned and what was seen of it', () => {
  const { plan, ...rest } = status();
  expect(plan).toMatch(/^[\w-]{22}$/);
  expect(rest).toEqual({
    observedGeneration: 3,
    conditions: [{ ...conditions[0], observedGeneration: 3, lastTransitionTime: '2026-01-02T03:04:05Z' }],
    vip: '192.168.100.3',
    workers: 1,
    addresses: {
      ipv4: {
        cidr: '192.168.100.0/24',
        router: '192.168.100.1',
        edgeA: '192.168.100.2',
        vip: '192.168.100.3',
        edgeB: '192.168.100.4',
        prober: '192.168.100.5',
      },
    },
    endpoints: [
      { service: 'APIServer', host: 'api.blue.example.com', port: 6443, upstream: 'clusters-blue/kube-apiserver:6443', ready: true },
      { service: 'OAuthServer', host: 'oauth.blue.example.com', port: 443, upstream: 'clusters-blue/oauth-openshift:6443', ready: false },
      {
        service: 'Konnectivity',
        host: 'konnectivity.blue.example.com',
        port: 443,
        upstream: 'clusters-blue/konnectivity-server:8091',
        ready: false,
      },
      {
        service: 'Ignition',
        host: 'ignition.blue.example.com',
        port: 443,
        upstream: 'clusters-blue/ignition-server-proxy:443',
        ready: false,
      },
    ],
    edges: [
      {
        name: 'edge-a',
        addresses: ['192.168.100.2'],
        node: 'hub-a',
        ready: true,
        holdsVip: true,
        zones: [{ name: 'blue.example.com', serial: 7 }],
      },
      { name: 'edge-b', addresses: ['192.168.100.4'], node: 'hub-b', ready: false, holdsVip: false, zones: [] },
    ],
    pool: { ranges: ['192.168.100.10-192.168.100.254'], size: 245, used: 1 },
    findings: [],
    machines: [{ mac: '02:00:00:00:01:01', machine: 'blue-workers-1', addresses: [expect.stringMatching(/^192\.168\.100\.\d+$/)] }],
  });
});

test('said again it is the same, so that nothing is written', () => {
  const once = status();
  expect(status({ status: once, observed: { allocations: once.machines ?? [] } }, LATER)).toEqual(once);
});

test.each([
  ['one that was seen', { httpsPort: 30443, httpPort: 30080, machines: ['blue-workers-1'] }],
  ['one that is not there yet', 'absent'],
] as const)('%s is said of the router of the hosted cluster, and read back by an operator that has not looked yet', (_, guestRouter) => {
  const said = status({ observed: { guestRouter } });
  expect(earlierIn(said).guestRouter).toEqual(guestRouter);
  expect(earlierOf(JSON.parse(JSON.stringify(said))).guestRouter).toEqual(guestRouter);
});

test('a plan that may not be followed leaves in force what was, the addresses of machines above all', () => {
  const before = status();
  const refused = status({ status: before, spec: { segment: { attachment: 'default/vlan100', cidrs: ['10.128.4.0/24'] } } }, LATER);
  const inForce = ({ vip, addresses, pool, plan, machines }: typeof before) => ({ vip, addresses, pool, plan, machines });
  expect(inForce(refused)).toEqual(inForce(before));
  expect([refused.edges, refused.findings?.map(({ code }) => code)]).toEqual([[], expect.arrayContaining(['HCPIO-NET-003'])]);
});

test('the proof that the status tells of is the one that was reported, and a segment that was not proven tells of none', () => {
  const proven = { type: 'SegmentProven', status: 'True', reason: 'Proven', message: proof.message, lastTransitionTime: '' } as const;
  const said = { ...status(), conditions: [proven] };
  expect(reportedProof(said)).toEqual(proof);
  expect(reportedProof({ ...said, conditions: [{ ...proven, status: 'Unknown' }] })).toBeUndefined();
});

test('a condition that this version does not know goes', () => {
  const old = { type: 'Legacy', status: 'True', reason: 'Old', message: '', lastTransitionTime: '2025-01-01T00:00:00Z' } as const;
  expect(status({ status: { conditions: [old] } }).conditions?.map(({ type }) => type)).toEqual(['Ready']);
});
