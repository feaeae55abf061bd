/** What the guard of an edge has noticed lately: MAC addresses, by what they did. Read strictly: whoever is noticed chooses their own. */
import * as z from 'zod';

const macs = z.array(z.string().regex(/^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/)).max(64);

const sightings = z.object({
  claiming_edge: macs,
  claiming_vip: macs,
  asking: macs,
  passing: macs,
  knocking: macs,
  crowding: macs,
});

export type Sightings = Readonly<Record<keyof z.infer<typeof sightings>, readonly string[]>>;

/** Undefined: it is none. */
export function readSightings(body: string): Sightings | undefined {
  try {
    return sightings.parse(JSON.parse(body));
  } catch {
    return undefined;
  }
}
