import { GROUP } from './tenant-network.ts';

/** On a NodePool that hcpio paused itself, and may therefore release. A pause without it is a person's. */
export const PAUSE_MARKER = `${GROUP}/paused-until-segment-is-proven`;

/** On a NodePool that was released, by hcpio or by a person who knew better: it is never held again. */
export const RELEASE_MARKER = `${GROUP}/released`;
