/** Reads a report strictly: whoever sends it stands on the tenant's network. */
import * as z from 'zod';
import type { ServedReport } from './report.ts';

const text = z.string().max(2000);

const report = z.object({
  tenant: z.string().max(600),
  list: z.string().max(64),
  results: z
    .array(
      z.object({
        group: z.enum(['VIP', 'DHCP', 'DNS', 'TLS']),
        subject: text,
        verdict: z.enum(['passed', 'noted', 'late', 'failed']),
        message: text,
        fix: text.optional(),
        milliseconds: z.number(),
      }),
    )
    .max(200),
  holder: z.enum(['edge-a', 'edge-b']).optional(),
  answered: z.array(z.string().max(63)).max(16),
  rogueServers: z.array(z.string().max(80)).max(16),
  serials: z.array(z.object({ edge: z.string().max(63), zone: z.string().max(253), serial: z.int() })).max(600),
  ageMilliseconds: z.number().min(0),
});

/** Undefined: it is none. */
export function readReport(body: string): ServedReport | undefined {
  try {
    return report.parse(JSON.parse(body)) as ServedReport;
  } catch {
    return undefined;
  }
}
