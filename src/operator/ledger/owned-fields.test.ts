import { describe, expect, test } from 'vitest';
import { lostFields } from './owned-fields.ts';

const intent = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'edge-a', namespace: 'edge', labels: { app: 'edge', 'example.com/tier': 'a' } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'edge' } },
    template: {
      containers: [
        { name: 'dns', image: 'dns:1', command: ['dns', '-v'] },
        { name: 'vip', image: 'vip:1' },
      ],
      ports: [{ port: 53 }],
      modes: ['a', 'b'],
      extra: {},
      nothing: [],
    },
  },
};

/** As the server writes it: selector and command are one piece, containers go by name, ports by port and protocol, modes are a set. */
const whole = {
  'f:metadata': { 'f:labels': { 'f:app': {}, 'f:example.com/tier': {} } },
  'f:spec': {
    'f:replicas': {},
    'f:selector': {},
    'f:template': {
      'f:containers': {
        'k:{"name":"dns"}': { '.': {}, 'f:name': {}, 'f:image': {}, 'f:command': {} },
        'k:{"name":"vip"}': { '.': {}, 'f:name': {}, 'f:image': {} },
      },
      'f:ports': { 'k:{"port":53,"protocol":"TCP"}': { '.': {}, 'f:port': {} } },
      'f:modes': { 'v:"a"': {}, 'v:"b"': {} },
    },
  },
};

type Tree = { [key: string]: Tree };
/** The same without one member. */
function without(...path: readonly string[]): Tree {
  const copy = structuredClone(whole) as Tree;
  let node: Tree = copy;
  for (const step of path.slice(0, -1)) node = node[step] as Tree;
  delete node[path.at(-1) ?? ''];
  return copy;
}
const template = ['f:spec', 'f:template'];

test('a list that covers the intent has lost nothing, whatever else it holds', () => {
  expect(lostFields(intent, whole)).toEqual([]);
  expect(lostFields(intent, { ...whole, 'f:data': { 'f:more': {} } })).toEqual([]);
});

test('an empty list has lost everything that the intent says', () => {
  expect(lostFields(intent, {})).toEqual(['spec', 'metadata.labels']);
});

describe('what somebody else changed is named', () => {
  test.each([
    ['a plain field', ['f:spec', 'f:replicas'], ['spec.replicas']],
    ['a label with a slash', ['f:metadata', 'f:labels', 'f:example.com/tier'], ['metadata.labels[example.com/tier]']],
    [
      'a list that is one piece',
      [...template, 'f:containers', 'k:{"name":"dns"}', 'f:command'],
      ['spec.template.containers[{"name":"dns"}].command'],
    ],
    [
      'an item of a list with keys',
      [...template, 'f:containers', 'k:{"name":"vip"}'],
      ['spec.template.containers[{"name":"vip","image":"vip:1"}]'],
    ],
    [
      'an item whose key has a default',
      [...template, 'f:ports', 'k:{"port":53,"protocol":"TCP"}', 'f:port'],
      ['spec.template.ports[{"port":53,"protocol":"TCP"}].port'],
    ],
    ['a member of a set', [...template, 'f:modes', 'v:"b"'], ['spec.template.modes["b"]']],
  ])('%s', (_, path, lost) => {
    expect(lostFields(intent, without(...path))).toEqual(lost);
  });
});
