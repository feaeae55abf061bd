/** What the guards of the edges noticed, as findings. Nothing of it got through; it is told because somebody should look at who tried. Pure. */
import { type Finding, type FindingText, finding } from '../../../api/finding.ts';
import type { EdgePlan, TenantPlan } from '../../../gateway/tenant-plan.ts';
import type { Sightings } from '../../../probes/sightings.ts';
import type { GuardReport } from '../../segment/guard-reports.ts';

const LATELY = 'seen within the last quarter of an hour';
const MOST_NAMED = 3;

export function guardFindings(plan: TenantPlan, guards: readonly GuardReport[], object: FindingText['object']): readonly Finding[] {
  const who = (kinds: readonly (keyof Sightings)[]): string =>
    named(
      plan,
      guards.flatMap(({ sightings }) => kinds.flatMap((kind) => sightings[kind])),
    );
  const where = (kinds: readonly (keyof Sightings)[]): string =>
    guards.flatMap(({ edge, sightings }) => (kinds.some((kind) => sightings[kind].length > 0) ? [edge] : [])).join(' and ');
  const of = (code: Finding['code'], kinds: readonly (keyof Sightings)[], message: string, fix: string): readonly Finding[] =>
    where(kinds) === '' ? [] : [finding(code, { object, message: `${who(kinds)} ${message}; ${LATELY}`, fix })];
  const through = ['passing', 'asking'] as const;
  return [
    ...guards.flatMap(({ edge, sightings }) => {
      const [address] = Object.values(plan.edges.find(({ name }) => name === edge)?.addresses ?? {});
      return sightings.claiming_edge.length === 0 || address === undefined
        ? []
        : [claim(`${named(plan, sightings.claiming_edge)} claims ${address}, the address of ${edge}`, object)];
    }),
    ...(where(['claiming_vip']) === '' ? [] : [claim(`${who(['claiming_vip'])} claims ${vips(plan)}, the VIP`, object)]),
    ...of(
      'HCPIO-GRD-002',
      through,
      `tries to get to the hub through ${where(through)}`,
      'nothing gets through; find the machine by its MAC address, and take routes that lead to the edges from it',
    ),
    ...of(
      'HCPIO-GRD-003',
      ['knocking'],
      `dials ports of ${where(['knocking'])} that are not published`,
      `if they should be, add them to spec.gateway.ports; how often: ${counting(plan, guards)}`,
    ),
    ...of(
      'HCPIO-GRD-004',
      ['crowding'],
      `has as many connections through ${where(['crowding'])} as one machine may have`,
      'its new connections are dropped until it closes some; find out what on that machine opens them: the access log of the gateway has a line for each',
    ),
  ];
}

const claim = (message: string, object: FindingText['object']): Finding =>
  finding('HCPIO-GRD-001', {
    object,
    message: `${message}; ${LATELY}`,
    fix: 'find the machine by its MAC address and take the address from it: whoever believes it loses the gateway. Ports that check addresses (macspoofchk, ARP inspection on switches) keep such claims away',
  });

const vips = ({ addresses }: TenantPlan): string => Object.values(addresses).flatMap((family) => family?.vip ?? [])[0] ?? '';

/** The first ones in order, so that the same machines make the same sentence. */
function named({ dhcp }: TenantPlan, macs: readonly string[]): string {
  const sorted = [...new Set(macs)].sort();
  const names = sorted.slice(0, MOST_NAMED).map((mac) => {
    const machine = dhcp.reservations.find((reservation) => reservation.mac === mac)?.machine;
    return machine === undefined ? mac : `${mac} (${machine})`;
  });
  return [...names, ...(sorted.length > MOST_NAMED ? ['others'] : [])].join(', ');
}

const counting = ({ edgeNamespace }: TenantPlan, [first]: readonly GuardReport[]): string =>
  `kubectl exec --namespace ${edgeNamespace} ${first?.edge as EdgePlan['name']}-0 --container vip -- /usr/libexec/hcpio/guard-report`;
