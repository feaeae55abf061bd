/** What is tried with a tenant that stands: one lab for all of it, because bringing one up takes longer than most of the tests. */
import './standing/demonstration.ts';
import './standing/proof.ts';
import './standing/live-commands.ts';
import './standing/rights.ts';
import './standing/leader.ts';
import { afterAll, beforeAll } from 'vitest';
import { clearAway, demonstrate } from './standing/lab.ts';

beforeAll(demonstrate);
afterAll(clearAway);
