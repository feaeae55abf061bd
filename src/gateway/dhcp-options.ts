import type { Finding, ObjectRef } from '../api/finding.ts';
import { finding } from '../api/finding.ts';
import type { GatewaySettings } from '../api/tenant-network.ts';
import { familyOf } from '../net/ip.ts';
import type { DhcpOption, FamilyAddresses } from './tenant-plan.ts';

/** The options that are worked out from the plan, so that nobody may set them by hand: two sources would contradict each other. */
const OWN: ReadonlyMap<number, string> = new Map([
  [1, 'subnet-mask'],
  [3, 'routers'],
  [6, 'domain-name-servers'],
  [12, 'host-name'],
  [15, 'domain-name'],
  [26, 'interface-mtu'],
  [42, 'ntp-servers'],
  [51, 'dhcp-lease-time'],
  [53, 'dhcp-message-type'],
  [54, 'dhcp-server-identifier'],
  [119, 'domain-search'],
  [121, 'classless-static-route'],
]);

const STANDARD_MTU = 1500;

/** DHCPv4 options of the segment, in the order of their codes. None where there is no IPv4, or nobody is served. */
export function planOptions(
  addresses: FamilyAddresses | undefined,
  mtu: number,
  domain: string,
  dhcp: GatewaySettings['dhcp'],
): DhcpOption[] {
  if (addresses === undefined || dhcp.serve === 'Nobody') return [];
  // OVN in the guest picks its node interface by the default route, so also a segment without a router needs one: the VIP, which forwards nothing.
  const router = addresses.router ?? addresses.vip;
  const servers = [addresses.edgeA, ...(addresses.edgeB === undefined ? [] : [addresses.edgeB])];
  const ntp = dhcp.ntpServers.filter((server) => familyOf(server) === 'ipv4');
  const own: (DhcpOption | undefined)[] = [
    option(3, router),
    option(6, servers.join(', ')),
    domain === '' ? undefined : option(15, domain),
    mtu === STANDARD_MTU ? undefined : option(26, String(mtu)),
    ntp.length === 0 ? undefined : option(42, ntp.join(', ')),
    domain === '' ? undefined : option(119, domain),
    // Clients that take 121 ignore 3 (RFC 3442), so the default route stands here again.
    option(121, `0.0.0.0/0 - ${router}`),
  ];
  const extra = dhcp.options.filter((o) => !OWN.has(o.code)).map((o) => ({ code: o.code, name: `option-${o.code}`, data: o.data }));
  return [...own.filter((o) => o !== undefined), ...extra].sort((a, b) => a.code - b.code);
}

const option = (code: number, data: string): DhcpOption => ({ code, name: OWN.get(code) ?? `option-${code}`, data });

// A value goes to Kea's csv parser as it is: control characters would end up in the log, and Kea refuses the whole file for one bad option.
const UNPRINTABLE = /[^\x20-\x7e]|["'\\]/;

export function checkOptions(dhcp: GatewaySettings['dhcp'], object: ObjectRef): Finding[] {
  const taken = dhcp.options.flatMap((o, i) =>
    OWN.has(o.code)
      ? [
          finding('HCPIO-DHCP-001', {
            object,
            path: `spec.gateway.dhcp.options[${i}].code`,
            message: `option ${o.code} (${OWN.get(o.code)}) is worked out from the plan`,
            fix: `remove it from spec.gateway.dhcp.options; ${hint(o.code)}`,
          }),
        ]
      : [],
  );
  const unprintable = dhcp.options.flatMap((o, i) =>
    UNPRINTABLE.test(o.data)
      ? [
          finding('HCPIO-DHCP-002', {
            object,
            path: `spec.gateway.dhcp.options[${i}].data`,
            message: `the value of option ${o.code} holds a quote, a backslash or an unprintable character`,
            fix: 'write plain printable text; binary values as hexadecimal digits',
          }),
        ]
      : [],
  );
  const ntp = dhcp.ntpServers.flatMap((server, i) =>
    familyOf(server) === undefined
      ? [
          finding('HCPIO-DHCP-003', {
            object,
            path: `spec.gateway.dhcp.ntpServers[${i}]`,
            message: `${JSON.stringify(server)} is not an IP address, and option 42 carries addresses only`,
            fix: 'give the address of the time server',
          }),
        ]
      : [],
  );
  return [...taken, ...unprintable, ...ntp];
}

function hint(code: number): string {
  if (code === 3 || code === 121) return 'set spec.segment.router';
  if (code === 42) return 'set spec.gateway.dhcp.ntpServers';
  if (code === 26) return 'set spec.segment.mtu';
  if (code === 51) return 'set spec.gateway.dhcp.leaseSeconds';
  return 'hcpio sets it for every worker';
}
