import { afterAll, beforeAll, describe } from 'vitest';
import { availability } from './edge-life/availability.ts';
import { changes } from './edge-life/changes.ts';
import { ending } from './edge-life/ending.ts';
import { failover } from './edge-life/failover.ts';
import { EdgeLife } from './edge-life/life.ts';
import { updates } from './edge-life/updates.ts';

/** One tenant from its first edge to its last, under the traffic of a worker: what is lost is counted and printed. */
let life: EdgeLife;
beforeAll(async () => {
  life = await EdgeLife.begin();
});
afterAll(() => EdgeLife.end());

describe('a change while workers run', () => changes(() => life));
describe('an update of the edge image', () => updates(() => life));
describe('an edge that serves is no more', () => failover(() => life));
describe('one edge or two', () => availability(() => life));
describe('the end', () => ending(() => life));
