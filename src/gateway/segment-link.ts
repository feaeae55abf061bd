import * as z from 'zod';
import { type Finding, finding, type ObjectRef, Refusal } from '../api/finding.ts';
import type { Nad } from '../hosted-cluster/objects.ts';

/** How a pod gets onto the tenant's layer 2: what is left of the VMs' NetworkAttachmentDefinition without everything about addresses. */
export type SegmentLink =
  | {
      readonly type: 'bridge' | 'cnv-bridge';
      readonly bridge: string;
      readonly vlan?: number | undefined;
      readonly preserveDefaultVlan?: boolean | undefined;
      readonly macspoofchk?: boolean | undefined;
      readonly mtu?: number | undefined;
    }
  | {
      readonly type: 'macvlan';
      readonly master?: string | undefined;
      readonly mode?: string | undefined;
      readonly mtu?: number | undefined;
    }
  | {
      readonly type: 'ovn-k8s-cni-overlay';
      readonly network: string;
      readonly physicalNetworkName?: string | undefined;
      readonly vlanID?: number | undefined;
      readonly mtu?: number | undefined;
    };

const mtu = z.int().min(0).max(65_535).optional();
const plugin = z.looseObject({ type: z.string(), ipam: z.looseObject({ type: z.string().optional() }).nullish() });
const conflist = z.looseObject({ name: z.string().optional(), plugins: z.array(plugin).min(1) });
const bridge = z.object({
  type: z.enum(['bridge', 'cnv-bridge']),
  bridge: z
    .string()
    .min(1)
    .max(15)
    .regex(/^[^\s/]+$/),
  vlan: z.int().min(0).max(4094).optional(),
  vlanTrunk: z.array(z.unknown()).optional(),
  preserveDefaultVlan: z.boolean().optional(),
  macspoofchk: z.boolean().optional(),
  mtu,
});
const macvlan = z.object({
  type: z.literal('macvlan'),
  master: z
    .string()
    .min(1)
    .max(15)
    .regex(/^[^\s/]+$/)
    .optional(),
  mode: z.string().optional(),
  mtu,
});
const localnet = z.object({
  type: z.literal('ovn-k8s-cni-overlay'),
  name: z.string().min(1),
  topology: z.string(),
  subnets: z.string().optional(),
  physicalNetworkName: z.string().optional(),
  vlanID: z.int().min(0).max(4094).optional(),
  mtu,
});

/** Reads the VMs' attachment, or refuses it with the reason. What is wrong with it but does not stop an edge comes back as findings. */
export function readSegmentLink(nad: Nad): { readonly link: SegmentLink; readonly findings: readonly Finding[] } {
  const at = about(nad);
  const main = mainPlugin(nad, at);
  const findings = main.ipam?.type ? [ipamFinding(at, main.ipam.type)] : [];
  if (main.type === 'bridge' || main.type === 'cnv-bridge') return bridgeLink(at, parsed(at, bridge, main), findings);
  if (main.type === 'macvlan') return macvlanLink(at, parsed(at, macvlan, main), findings);
  if (main.type === 'ovn-k8s-cni-overlay') return { link: localnetLink(at, nad, parsed(at, localnet, main)), findings };
  throw refuse(
    at,
    'HCPIO-ATT-004',
    `its CNI plugin is ${main.type}, and an edge knows how to join bridge, cnv-bridge, macvlan and OVN localnet networks`,
    'attach the VMs through one of those',
  );
}

type Plugin = z.output<typeof plugin>;

/** A plain configuration is its own plugin; of a list the first makes the interface and the rest only changes it. */
function mainPlugin(nad: Nad, at: ObjectRef): Plugin {
  const config = json(at, nad.spec.config);
  const list = conflist.safeParse(config);
  const [first] = list.success ? list.data.plugins : [];
  if (list.success && first !== undefined) return { ...(list.data.name === undefined ? {} : { name: list.data.name }), ...first };
  return parsed(at, plugin, config);
}

function json(at: ObjectRef, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The reason ends in a piece of the text, line breaks and all; the line of the finding shows it better.
    const reason = (error as Error).message.replace(/, (\.\.\.)?".*/su, '').replaceAll(/\p{Cc}/gu, '\ufffd');
    throw refuse(at, 'HCPIO-ATT-003', `spec.config is not valid JSON: ${reason}`, 'correct the JSON in spec.config');
  }
}

function parsed<T>(at: ObjectRef, schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? 'spec.config' : `${issue.path.join('.')} in spec.config`;
  throw refuse(
    at,
    'HCPIO-ATT-003',
    `${where} is not what a CNI configuration has there: ${issue?.message ?? 'not an object'}`,
    'write the CNI configuration of the segment into spec.config',
  );
}

type Result = ReturnType<typeof readSegmentLink>;

/**
 * The edge keeps `macspoofchk`: the VIP is served from the edge's own MAC, announced by gratuitous ARP and never by a virtual MAC, so the
 * check lets it move and still stops an edge that was broken into from speaking for others. It does not keep `portIsolation`: isolated
 * ports do not hear each other, so an isolated edge would serve nobody.
 */
function bridgeLink(at: ObjectRef, { vlanTrunk, ...config }: z.output<typeof bridge>, findings: readonly Finding[]): Result {
  if (vlanTrunk !== undefined && (config.vlan ?? 0) === 0) {
    throw refuse(
      at,
      'HCPIO-ATT-004',
      'it is a trunk of several VLANs, and which of them is the segment is written nowhere',
      'use an attachment with vlan set',
    );
  }
  return {
    link: config,
    findings: config.macspoofchk === true ? findings : [...findings, spoofing(at, 'set "macspoofchk": true in its spec.config')],
  };
}

function macvlanLink(at: ObjectRef, config: z.output<typeof macvlan>, findings: readonly Finding[]): Result {
  if (config.mode === 'passthru' || config.mode === 'private') {
    throw refuse(
      at,
      'HCPIO-ATT-004',
      `its macvlan mode is ${config.mode}, in which an edge and the VMs do not hear each other`,
      'use mode bridge',
    );
  }
  return { link: config, findings: [...findings, spoofing(at, 'check source MACs on the switch: macvlan has no check of its own')] };
}

/** OVN checks every port's MAC by itself. */
function localnetLink(at: ObjectRef, nad: Nad, { name, topology, subnets, ...config }: z.output<typeof localnet>): SegmentLink {
  if (nad.metadata.ownerReferences.some((owner) => owner.kind.endsWith('UserDefinedNetwork'))) {
    throw refuse(
      at,
      'HCPIO-ATT-004',
      'it is generated from a user-defined network, which no attachment written by hand can join',
      'attach the VMs through a localnet NetworkAttachmentDefinition of your own',
    );
  }
  if (topology !== 'localnet') throw refuse(at, 'HCPIO-ATT-004', `its OVN topology is ${topology}`, 'use topology localnet');
  if (subnets !== undefined && subnets !== '') {
    throw refuse(
      at,
      'HCPIO-ATT-006',
      `OVN assigns addresses of ${subnets} on it, and its port security then drops an address that moves, such as the VIP`,
      'remove subnets from its spec.config',
    );
  }
  return { ...config, network: name };
}

const about = (nad: Nad): ObjectRef => ({
  kind: 'NetworkAttachmentDefinition',
  namespace: nad.metadata.namespace,
  name: nad.metadata.name,
});

const refuse = (object: ObjectRef, code: 'HCPIO-ATT-003' | 'HCPIO-ATT-004' | 'HCPIO-ATT-006', message: string, fix: string): Refusal =>
  new Refusal(finding(code, { object, path: 'spec.config', message, fix }));

const ipamFinding = (object: ObjectRef, type: string): Finding =>
  finding('HCPIO-ATT-002', {
    object,
    path: 'spec.config',
    message: `its IPAM plugin ${type} gives every VM pod an address, which KubeVirt then hands to the VM in place of the lease that hcpio planned`,
    fix: 'remove ipam from its spec.config',
  });

const spoofing = (object: ObjectRef, fix: string): Finding =>
  finding('HCPIO-ATT-007', {
    object,
    path: 'spec.config',
    message: 'a VM can send frames under any MAC address, so it can take the lease of another',
    fix,
  });
