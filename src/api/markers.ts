import { GROUP } from './tenant-network.ts';

/** On a NodePool that hcpio paused itself, and may therefore release. A pause without it is a person's. */
export const PAUSE_MARKER = `${GROUP}/paused-until-segment-is-proven`;
