import * as z from 'zod';

/**
 * What the operator reports on a TenantNetwork: only what was observed. All fields are optional, because each is written by the
 * phase that saw it; the bounds keep the whole object far below etcd's limit.
 */
const address = z.string().max(45);
const hash = z.string().max(64);
const name = z.string().max(253);
const listMap = (key: string) => ({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] });

/** metav1.Condition, bounds and all, so that `kubectl wait --for=condition=Ready` works. */
const condition = z
  .object({
    type: z
      .string()
      .max(316)
      .regex(/^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/)
      .describe('Accepted, Planned, Applied, EdgeReady, EndpointsReady, SegmentProven, NodePoolsReleased or Ready.'),
    status: z.enum(['True', 'False', 'Unknown']).describe('Whether it is so.'),
    observedGeneration: z.int().min(0).optional().describe('The generation of the spec that this was said about.'),
    lastTransitionTime: z.string().max(64).meta({ format: 'date-time' }).describe('When the status last changed.'),
    reason: z
      .string()
      .min(1)
      .max(1024)
      .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
      .describe('Why, in one word.'),
    message: z.string().max(32_768).describe('What was seen, and the next step.'),
  })
  .describe('One statement about this TenantNetwork.');

const familyAddresses = (family: string) =>
  z
    .object({
      cidr: z.string().max(43).describe('The network.'),
      router: address.optional().describe("The segment's router; absent for a segment without one."),
      edgeA: address.describe('Address of edge-a.'),
      vip: address.describe('The floating address of the gateway.'),
      edgeB: address.optional().describe('Address of edge-b; absent with availability Single.'),
      prober: address.optional().describe('Address from which the segment is probed.'),
    })
    .describe(`The fixed ${family} addresses of the segment.`);

const endpoint = z
  .object({
    service: z.string().max(63).describe('APIServer, OAuthServer, Konnectivity, Ignition or MetricsProxy.'),
    host: z.string().max(253).optional().describe('The published host; absent until HyperShift says it.'),
    port: z.int().min(1).max(65_535).optional().describe('The published port.'),
    upstream: z.string().max(400).describe('The Service behind it, as namespace/name:port.'),
    ready: z.boolean().describe('A TLS handshake from the segment succeeded.'),
  })
  .describe('One published service of the control plane.');

const edge = z
  .object({
    name: z.enum(['edge-a', 'edge-b']).describe('Which of the two.'),
    addresses: z
      .array(address)
      .max(2)
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('Its addresses on the segment, as Multus reports them.'),
    node: name.optional().describe('The hub node that runs it.'),
    ready: z.boolean().describe('The pod is ready and attached to the segment with the planned address.'),
    holdsVip: z.boolean().optional().describe('It holds the floating address.'),
    zones: z
      .array(
        z
          .object({
            name: z.string().max(253).describe('The zone.'),
            serial: z.int().min(0).describe('The serial of its SOA record, as it was answered on the segment.'),
          })
          .describe('One zone.'),
      )
      .max(32)
      .optional()
      .meta(listMap('name'))
      .describe('What its DNS server serves.'),
    config: hash.optional().describe('Hash of the configuration that it runs.'),
  })
  .describe('One edge.');

const pool = z
  .object({
    ranges: z.array(z.string().max(91)).max(128).meta({ 'x-kubernetes-list-type': 'atomic' }).describe('The ranges, as first-last.'),
    size: z.int().min(0).describe('How many addresses there are.'),
    used: z.int().min(0).describe('How many of them machines hold.'),
  })
  .describe('The addresses for machines.');

const statusFinding = z
  .object({
    code: z.string().max(32).describe('The stable code; docs/reference/findings.md explains it.'),
    severity: z.enum(['error', 'warning', 'info']).describe('Errors stop the rollout.'),
    object: z.string().max(600).describe('The object that has to change, as namespace/name Kind.'),
    path: z.string().max(500).optional().describe('The field that has to change.'),
    message: z.string().max(2000).describe('What is wrong.'),
    fix: z.string().max(2000).describe('What to do about it.'),
  })
  .describe('What one check has to say.');

const machine = z
  .object({
    mac: z.string().max(17).describe('The MAC address on the segment.'),
    addresses: z
      .array(address)
      .max(2)
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('The addresses that it was given; it keeps them.'),
    machine: name.describe('The VirtualMachineInstance.'),
  })
  .describe('One machine and its addresses.');

const nodePort = (protocol: string) =>
  z.int().min(1).max(65_535).optional().describe(`Where it answers ${protocol}, on every machine or on the named ones.`);

const guestRouter = z
  .object({
    httpsPort: nodePort('HTTPS'),
    httpPort: nodePort('HTTP'),
    machines: z
      .array(name)
      .max(4096)
      .optional()
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('The machines that run one; absent or empty when every machine passes on to them.'),
  })
  .describe(
    'The router of the hosted cluster as it was seen last; without ports when none runs yet. Read back by the planner, so that an operator that starts anew leads nobody astray until it has looked.',
  );

export const tenantNetworkStatus = z
  .object({
    observedGeneration: z.int().min(0).optional().describe('The generation of the spec that the rest is about.'),
    conditions: z
      .array(condition)
      .max(16)
      .optional()
      .meta(listMap('type'))
      .describe('What is true of this TenantNetwork; Ready sums up the others.'),
    vip: z.string().max(91).optional().describe('The floating address; of each family, separated by a comma.'),
    workers: z.int().min(0).optional().describe('How many worker VMs were seen on the segment.'),
    addresses: z
      .object({ ipv4: familyAddresses('IPv4').optional(), ipv6: familyAddresses('IPv6').optional() })
      .optional()
      .describe('The fixed addresses, by IP family.'),
    endpoints: z.array(endpoint).max(16).optional().meta(listMap('service')).describe('The published services of the control plane.'),
    edges: z.array(edge).max(2).optional().meta(listMap('name')).describe('The edges as they run.'),
    pool: pool.optional(),
    plan: hash.optional().describe('Hash of the plan that was applied.'),
    findings: z
      .array(statusFinding)
      .max(64)
      .optional()
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('What the checks have to say, errors first.'),
    guestRouter: guestRouter.optional(),
    machines: z
      .array(machine)
      .max(4096)
      .optional()
      .meta(listMap('mac'))
      .describe('Which machine has which address. Read back by the planner, so that addresses stay where they are.'),
  })
  .describe('What was observed.');

export type TenantNetworkStatus = z.output<typeof tenantNetworkStatus>;
