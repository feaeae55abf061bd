/** The status as a value: what was observed, in the words of the API. Pure, so that it can be compared with what stands there. */
import { type Finding, type FindingText, finding, sortFindings } from '../../../api/finding.ts';
import type { TenantNetworkStatus } from '../../../api/tenant-network-status.ts';
import type { Range, TenantPlan } from '../../../gateway/tenant-plan.ts';
import { toldRouter } from '../../../hosted-cluster/earlier.ts';
import type { Condition, ConditionInput } from '../../../kube/conditions.ts';
import { setConditions } from '../../../kube/conditions.ts';
import { addressOf } from '../../../net/ip.ts';
import type { EdgeState } from './edges.ts';
import { guardFindings } from './guard-findings.ts';
import type { Tenant } from './observe.ts';
import type { Planned } from './plan.ts';
import type { Seen } from './probe.ts';

/** What the CRD has room for. */
const MOST_FINDINGS = 64;
const MOST_MACHINES = 4096;
const MOST_ZONES = 32;
const TEXT = 2000;

export function statusFor(
  { object, status: before, observed }: Tenant,
  planned: Planned,
  seen: Seen,
  conditions: readonly ConditionInput[],
  now: number,
): TenantNetworkStatus {
  const observedGeneration = object.metadata.generation;
  return {
    observedGeneration,
    conditions: merged(before, conditions, observedGeneration, now),
    ...(planned.verdict === 'go' ? inForce(planned.plan, planned.hash) : leftInForce(before)),
    ...(observed ? { workers: observed.machines.length } : {}),
    ...routerTold(observed ? toldRouter(observed.guestRouter) : before.guestRouter),
    endpoints: seen.endpoints.map(({ service, host, port, upstream }) => ({
      service,
      ...(host === null ? {} : { host }),
      ...(port === null ? {} : { port }),
      upstream,
      ready: 'answered' in seen.proof && seen.proof.answered.includes(service),
    })),
    edges: seen.edges.map((edge) => edgeStatus(edge, seen)),
    findings: allFindings(planned, seen, object.metadata).slice(0, MOST_FINDINGS).map(shortened),
  };
}

/** What the checks found, and what was found on the segment. */
export function allFindings(planned: Planned, seen: Seen, { namespace, name }: Tenant['object']['metadata']): readonly Finding[] {
  const object = { kind: 'TenantNetwork', namespace, name };
  const noticed = planned.plan ? guardFindings(planned.plan, seen.guards ?? [], object) : [];
  const more = [...rogueServers(seen, object), ...noticed];
  return more.length === 0 ? planned.findings : sortFindings([...planned.findings, ...more]);
}

function rogueServers({ proof }: Seen, object: FindingText['object']): readonly Finding[] {
  if (!('rogueServers' in proof) || proof.rogueServers.length === 0) return [];
  const rogues = proof.rogueServers.join(', ');
  const rogue = finding('HCPIO-DHCP-006', {
    object,
    message: `${rogues} gives out addresses on the segment as well`,
    fix: `find the machine with that address on the segment and stop its DHCP server; switches can keep such answers away (DHCP snooping)`,
  });
  return [rogue];
}

const routerTold = (guestRouter: TenantNetworkStatus['guestRouter']) => (guestRouter === undefined ? {} : { guestRouter });

/** Only these conditions are ours, and all of them are always there: a condition of an older version goes. */
const merged = (before: TenantNetworkStatus, conditions: readonly ConditionInput[], observedGeneration: number, now: number) => {
  const known = (before.conditions ?? []).filter(({ type }) => conditions.some((one) => one.type === type)) as readonly Condition[];
  return [
    ...setConditions(
      known,
      conditions.map((one) => ({ ...one, observedGeneration })),
      now,
    ),
  ];
};

function inForce(plan: TenantPlan, hash: string): Partial<TenantNetworkStatus> {
  const families = [plan.addresses.ipv4, plan.addresses.ipv6].flatMap((family) => family ?? []);
  const ranges = families.flatMap(({ pool }) => pool);
  const reservations = plan.dhcp.reservations.slice(0, MOST_MACHINES);
  return {
    vip: families.map(({ vip }) => vip).join(','),
    addresses: {
      ...(plan.addresses.ipv4 ? { ipv4: withoutPool(plan.addresses.ipv4) } : {}),
      ...(plan.addresses.ipv6 ? { ipv6: withoutPool(plan.addresses.ipv6) } : {}),
    },
    pool: {
      ranges: ranges.map(([first, last]) => `${first}-${last}`),
      size: ranges.reduce((sum, range) => sum + sizeOf(range), 0),
      used: reservations.reduce((sum, { addresses }) => sum + Object.keys(addresses).length, 0),
    },
    plan: hash,
    // Read back by the next plan: a machine keeps its address.
    machines: reservations.map(({ machine, mac, addresses }) => ({ mac, machine, addresses: Object.values(addresses) })),
  };
}

/** A plan that may not be followed changes nothing on the segment: what was in force before still is. */
const leftInForce = ({ vip, addresses, pool, plan, machines }: TenantNetworkStatus): Partial<TenantNetworkStatus> => ({
  ...(vip === undefined ? {} : { vip }),
  ...(addresses === undefined ? {} : { addresses }),
  ...(pool === undefined ? {} : { pool }),
  ...(plan === undefined ? {} : { plan }),
  ...(machines === undefined ? {} : { machines }),
});

type Family = NonNullable<TenantPlan['addresses']['ipv4']>;

const withoutPool = ({ cidr, router, edgeA, vip, edgeB, prober }: Family) => ({
  cidr,
  ...(router === undefined ? {} : { router }),
  edgeA,
  vip,
  ...(edgeB === undefined ? {} : { edgeB }),
  ...(prober === undefined ? {} : { prober }),
});

const sizeOf = ([first, last]: Range): number => Number(addressOf(last).value - addressOf(first).value + 1n);

const edgeStatus = ({ name, pod, ready }: EdgeState, { proof, edges }: Seen) => ({
  name,
  addresses: [...(pod?.net1?.addresses ?? [])].slice(0, 2),
  ...(pod?.node ? { node: pod.node } : {}),
  ready,
  // Who held it at the last look and is no longer ready may have lost it since.
  ...('holder' in proof && edges.some((edge) => edge.name === proof.holder && edge.ready) ? { holdsVip: proof.holder === name } : {}),
  ...('serials' in proof
    ? {
        zones: proof.serials
          .filter(({ edge }) => edge === name)
          .slice(0, MOST_ZONES)
          .map(({ zone, serial }) => ({ name: zone, serial })),
      }
    : {}),
});

const shortened = ({ code, severity, object, path, message, fix }: Finding) => ({
  code,
  severity,
  object: object.slice(0, 600),
  ...(path === undefined ? {} : { path: path.slice(0, 500) }),
  message: message.slice(0, TEXT),
  fix: fix.slice(0, TEXT),
});
