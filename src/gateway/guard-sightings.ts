import { block, element, line, type Statement } from './block-config.ts';

/**
 * Who did something that the guard is there for, by MAC address: what a packet says of its sender costs nothing to invent, a MAC is what
 * switches and virtual machines are known by. A set forgets by itself, so what is in it was seen lately, and nobody has to remember counts.
 * Reported by deploy/edge/guard-report.
 */
export type Sighting = 'claiming_edge' | 'claiming_vip' | 'asking' | 'passing' | 'knocking' | 'crowding';

/** Long enough for somebody to look, short enough to be about now. */
const REMEMBERED = '15m';
/** Whoever invents MAC addresses fills a set and no more than that: dropping does not depend on it. */
const MOST = 64;

export const sightingSet = (name: Sighting): Statement =>
  block(line`set ${name}`, [line`type ether_addr`, line`size ${MOST}`, line`flags dynamic`, line`timeout ${REMEMBERED}`]);

/** To be a rule of its own before the one that drops: one that finds its set full ends there. */
export const sighted = (name: Sighting, ...mac: readonly string[]) => ['update', `@${name}`, element(...mac)] as const;
