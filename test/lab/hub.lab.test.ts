/** What is tried of the lab itself, with nothing of hcpio in it: one lab for all of it. */
import './bare/hub.ts';
import './bare/hosted-cluster.ts';
import './bare/down.ts';
import { afterAll, beforeAll } from 'vitest';
import { bringUp, clearAway } from './bare/lab.ts';

beforeAll(bringUp);
afterAll(clearAway);
