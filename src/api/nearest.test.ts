import { expect, test } from 'vitest';
import { editDistance, nearest } from './nearest.ts';

test('letters that are swapped, missing, doubled or wrong count once each', () => {
  expect([
    editDistance('segment', 'segmnet'),
    editDistance('segment', 'segmnt'),
    editDistance('segment', 'seggment'),
    editDistance('segment', 'segmemt'),
    editDistance('', 'abc'),
  ]).toEqual([1, 1, 1, 1, 3]);
});

test('the nearest word is found whatever its case; a stranger has no nearest', () => {
  expect([nearest('Gatway', ['Gate', 'gateway']), nearest('mode', ['mtu', 'node']), nearest('colour', ['cidrs', 'router'])]).toEqual([
    'gateway',
    'node',
    undefined,
  ]);
});
