import { probeList } from '../../gateway/probes.ts';
import { blue } from '../../gateway/testing/sample-plans.ts';
import type { ProbedDhcp, ProbeList } from '../../probes/probe-list.ts';

export const list: ProbeList = probeList(blue, { root: 'ROOT', konnectivity: 'KONNECTIVITY', ignition: 'IGNITION' });
export const dhcp: ProbedDhcp = list.dhcp ?? { servers: [], options: [] };
