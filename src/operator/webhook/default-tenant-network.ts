/** Writes the defaults into a TenantNetwork, so that what is stored says what holds, and keeps saying it under a later version. */
import { isRecord } from '../../api/field-problem.ts';
import { gatewaySettings, tenantNetworkSpec } from '../../api/tenant-network.ts';
import type { AdmissionRequest, Decision } from './admission-review.ts';
import { additions } from './json-patch.ts';

/**
 * The CRD carries the defaults of fields; what it cannot say is that mode Gateway without `gateway` means all of its defaults.
 * A spec that does not fit is left as it is: saying so is the business of validation.
 */
export function defaultTenantNetwork({ object }: AdmissionRequest): Decision {
  if (!isRecord(object)) return {};
  const { data } = tenantNetworkSpec.safeParse(object['spec']);
  if (data === undefined) return {};
  const spec = data.mode === 'Gateway' ? { ...data, gateway: gatewaySettings(data) } : data;
  return { patch: additions(object['spec'], spec, ['spec']) };
}
