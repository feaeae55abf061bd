/** What stands on a NodePool about its pause: whether it is held, and by whom. */
import { PAUSE_MARKER, RELEASE_MARKER } from '../../src/api/markers.ts';
import * as r from '../../src/operator/resources.ts';
import type { Hub } from './hub.ts';
import type { PlayedTenant } from './player.ts';

interface Paused {
  readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> };
  readonly spec: { readonly pausedUntil?: string };
}

export async function pauseOf(hub: Hub, { namespace, name: tenant }: PlayedTenant, name = tenant) {
  const { metadata, spec } = (await hub.client.get(r.NODE_POOL, { namespace, name }, hub.signal)) as unknown as Paused;
  const { annotations = {} } = metadata;
  return { pausedUntil: spec.pausedUntil, held: annotations[PAUSE_MARKER], released: annotations[RELEASE_MARKER] };
}
