import { quote } from '../api/field-problem.ts';
import { type Finding, finding, type ObjectRef } from '../api/finding.ts';
import { isDnsLabel } from '../api/text.ts';
import { contains, readCidr } from '../net/cidr.ts';
import { type Address, formatAddress, parseAddress } from '../net/ip.ts';
import { readNamespaces } from './namespace.ts';
import type { VirtualMachineInstance } from './objects.ts';
import type { Observed } from './observed.ts';

/** One leg of a VM on the segment. Its name is the VM's, which the Node must bear too. */
export interface Machine {
  readonly machine: string;
  /** Lower case, with colons. */
  readonly mac: string;
  /** Addresses that were seen on it. The guest agent tells them late and may forget them for a while: none does not mean that it has none. */
  readonly seen: readonly string[];
}

type Input = Pick<Observed, 'tenantNetwork' | 'hostedCluster' | 'hostedControlPlanes' | 'machines'>;

/** The tenant's VMs on the segment. HyperShift runs them in the control-plane namespace, so only those of the tenant's own count. */
export function readMachines(observed: Input): { readonly machines: readonly Machine[]; readonly findings: readonly Finding[] } {
  const { controlPlane, hostedControlPlane } = readNamespaces(observed);
  if (!hostedControlPlane) return { machines: [], findings: [] };
  const machines: Machine[] = [];
  const findings: Finding[] = [];
  const owners = new Map<string, string>();
  const instances = observed.machines.filter((vmi) => vmi.metadata.namespace === controlPlane).sort(byName);
  for (const vmi of instances) {
    const legs = legsOn(vmi, observed.tenantNetwork.spec.segment.attachment);
    if (legs.length === 0) continue;
    if (!isDnsLabel(vmi.metadata.name)) {
      findings.push(noLabel(vmi));
      continue;
    }
    const known = legs.flatMap((leg) => machineOf(vmi, leg) ?? []);
    if (known.length < legs.length) findings.push(noMac(vmi, observed.tenantNetwork.spec.segment.attachment));
    for (const machine of known) {
      const owner = owners.get(machine.mac);
      if (owner !== undefined) findings.push(sharedMac(vmi, machine.mac, owner));
      else machines.push(machine);
      if (owner === undefined) owners.set(machine.mac, machine.machine);
    }
  }
  return { machines, findings };
}

const byName = (a: VirtualMachineInstance, b: VirtualMachineInstance): number =>
  a.metadata.name < b.metadata.name ? -1 : a.metadata.name > b.metadata.name ? 1 : 0;

/** The names of the VM's networks that are the attachment; a bare name means one in the VM's own namespace. */
const legsOn = ({ metadata, spec }: VirtualMachineInstance, attachment: string): string[] =>
  spec.networks
    .filter(
      ({ multus }) =>
        multus !== undefined &&
        (multus.networkName.includes('/') ? multus.networkName : `${metadata.namespace}/${multus.networkName}`) === attachment,
    )
    .map(({ name }) => name);

const MAC = /^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/;

function readMac(text: string | undefined): string | undefined {
  const mac = text?.toLowerCase();
  return mac !== undefined && MAC.test(mac) ? mac.replaceAll('-', ':') : undefined;
}

function machineOf({ metadata, status }: VirtualMachineInstance, leg: string): Machine | undefined {
  const mac = readMac(status.interfaces.find(({ name }) => name === leg)?.mac);
  if (mac === undefined) return undefined;
  // OVN in the guest moves the address to br-ex, which the guest agent reports as an interface of its own with the same MAC.
  const texts = status.interfaces
    .filter((one) => readMac(one.mac) === mac)
    .flatMap((one) => [...(one.ipAddress === undefined ? [] : [one.ipAddress]), ...(one.ipAddresses ?? [])]);
  return {
    machine: metadata.name,
    mac,
    seen: [...new Set(texts.map(parseAddress).flatMap((address) => (address && !isLinkLocal(address) ? [formatAddress(address)] : [])))],
  };
}

const linkLocal = ['fe80::/10', '169.254.0.0/16'].flatMap((text) => readCidr(text) ?? []);
const isLinkLocal = (address: Address): boolean => linkLocal.some((cidr) => contains(cidr, address));

const refOf = ({ metadata }: VirtualMachineInstance): ObjectRef => ({
  kind: 'VirtualMachineInstance',
  namespace: metadata.namespace,
  name: metadata.name,
});

const noLabel = (vmi: VirtualMachineInstance): Finding =>
  finding('HCPIO-NP-005', {
    object: refOf(vmi),
    path: 'metadata.name',
    message: `${quote(vmi.metadata.name)} is no DNS label, so the machine cannot have it as its host name and its Node would not be found`,
    fix: 'use a shorter NodePool name of lower-case letters, digits and -',
  });

const noMac = (vmi: VirtualMachineInstance, attachment: string): Finding =>
  finding('HCPIO-NP-007', {
    object: refOf(vmi),
    path: 'status.interfaces',
    message: `waiting for KubeVirt to tell the MAC address of machine ${vmi.metadata.name} on ${attachment}`,
    fix: 'nothing to do',
  });

const sharedMac = (vmi: VirtualMachineInstance, mac: string, owner: string): Finding =>
  finding('HCPIO-NP-006', {
    object: refOf(vmi),
    path: 'status.interfaces',
    message: `machines ${owner} and ${vmi.metadata.name} both have MAC address ${mac}; only ${owner} gets an address`,
    fix: 'delete the Machine of one of them, so that a new VM gets a MAC address of its own; KubeMacPool prevents it',
  });
