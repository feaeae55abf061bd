/** What kind of hub this is: on OpenShift pods are admitted by SecurityContextConstraints. */

import type { WorkloadOptions } from '../gateway/workloads.ts';
import { type Discovery, KindNotInstalled } from '../kube/discovery.ts';
import { apiVersionOf } from '../kube/object.ts';
import { SECURITY_CONTEXT_CONSTRAINTS } from './resources.ts';

export type Platform = WorkloadOptions['platform'];

export async function detectPlatform(discovery: Discovery, signal: AbortSignal): Promise<Platform> {
  try {
    await discovery.resourceFor(apiVersionOf(SECURITY_CONTEXT_CONSTRAINTS), SECURITY_CONTEXT_CONSTRAINTS.kind, signal);
    return 'openshift';
  } catch (error) {
    if (error instanceof KindNotInstalled) return 'kubernetes';
    throw error;
  }
}
