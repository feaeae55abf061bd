import { parse, stringify } from 'yaml';

/**
 * KubeVirt's operator makes its CRDs at run time: names in Go code, schemas as YAML inside one generated Go file. The schemas are
 * taken from that file; what is beside them repeats pkg/virt-operator/resource/generate/components/crds.go of the same version.
 */
interface KubevirtCrd {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  /** A VirtualMachineInstance has no status subresource: its status is written with the object. */
  readonly statusSubresource: boolean;
}

const CRDS: readonly KubevirtCrd[] = [
  { kind: 'VirtualMachine', plural: 'virtualmachines', shortNames: ['vm', 'vms'], statusSubresource: true },
  { kind: 'VirtualMachineInstance', plural: 'virtualmachineinstances', shortNames: ['vmi', 'vmis'], statusSubresource: false },
];

/** File name -> YAML of each CRD, out of the source of `validations_generated.go`. */
export function kubevirtCrds(validationsGo: string): ReadonlyMap<string, string> {
  return new Map(
    CRDS.map((crd) => [
      `kubevirt.io_${crd.plural}.yaml`,
      stringify(customResourceDefinition(crd, schemaOf(crd.kind, validationsGo)), { aliasDuplicateObjects: false }),
    ]),
  );
}

function schemaOf(kind: string, validationsGo: string): unknown {
  const name = kind.toLowerCase();
  const literal = new RegExp(`^\\t"${name}": \`([^\`]*)\`,$`, 'm').exec(validationsGo)?.[1];
  if (literal === undefined) throw new Error(`KubeVirt's validations_generated.go has no schema "${name}"`);
  return (parse(literal) as { readonly openAPIV3Schema: unknown }).openAPIV3Schema;
}

function customResourceDefinition(crd: KubevirtCrd, openAPIV3Schema: unknown) {
  const version = (name: string, storage: boolean) => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema },
    ...(crd.statusSubresource ? { subresources: { status: {} } } : {}),
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${crd.plural}.kubevirt.io`, labels: { 'kubevirt.io': '' } },
    spec: {
      group: 'kubevirt.io',
      scope: 'Namespaced',
      names: { kind: crd.kind, plural: crd.plural, singular: crd.kind.toLowerCase(), shortNames: crd.shortNames, categories: ['all'] },
      versions: [version('v1', true), { ...version('v1alpha3', false), deprecated: true }],
    },
  };
}
