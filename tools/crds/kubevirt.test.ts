import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { kubevirtCrds } from './kubevirt.ts';

const schema = (description: string) => `openAPIV3Schema:\n  description: ${description}\n  type: object\n`;
const source = `package components

var CRDsValidation map[string]string = map[string]string{
	"virtualmachine": \`${schema('a machine')}\`,
	"virtualmachineinstance": \`${schema('one that runs')}\`,
	"virtualmachineinstancemigration": \`${schema('not this one')}\`,
}
`;

test('the schema of each kind is taken from the generated Go source, for both versions', () => {
  const crds = kubevirtCrds(source);
  expect([...crds.keys()]).toEqual(['kubevirt.io_virtualmachines.yaml', 'kubevirt.io_virtualmachineinstances.yaml']);
  const openAPIV3Schema = { description: 'one that runs', type: 'object' };
  expect(parse(crds.get('kubevirt.io_virtualmachineinstances.yaml') ?? '')).toEqual({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'virtualmachineinstances.kubevirt.io', labels: { 'kubevirt.io': '' } },
    spec: {
      group: 'kubevirt.io',
      scope: 'Namespaced',
      names: {
        kind: 'VirtualMachineInstance',
        plural: 'virtualmachineinstances',
        singular: 'virtualmachineinstance',
        shortNames: ['vmi', 'vmis'],
        categories: ['all'],
      },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } },
        { name: 'v1alpha3', served: true, storage: false, schema: { openAPIV3Schema }, deprecated: true },
      ],
    },
  });
});

test('a source without the schema is refused', () => {
  expect(() => kubevirtCrds('package components')).toThrow('KubeVirt\'s validations_generated.go has no schema "virtualmachine"');
});
