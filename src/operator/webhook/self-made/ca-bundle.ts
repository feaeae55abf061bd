/** Tells the API server which authority to trust. Where service-ca or cert-manager make the certificate, they do this. */
import type { Client } from '../../../kube/client.ts';
import type { Logger } from '../../../kube/telemetry.ts';
import { may, type PolicyRule } from '../../rbac.ts';
import { CONFIGURATION, MUTATING, VALIDATING, type WebhookConfiguration } from '../configurations.ts';

/** `create` is not needed: applying a part to an object that exists only patches it. */
export const trustRules: readonly PolicyRule[] = [MUTATING, VALIDATING].map((resource) =>
  may(['get', 'patch'], resource, { names: [CONFIGURATION] }),
);

/** Its own field manager: the rest of these objects belongs to whoever installed us. */
const FIELD_MANAGER = 'hcpio-webhook';

export async function trust(client: Client, pem: string, log: Logger, signal: AbortSignal): Promise<void> {
  const caBundle = Buffer.from(pem).toString('base64');
  for (const resource of [MUTATING, VALIDATING]) {
    const found = await client.find<WebhookConfiguration>(resource, { name: CONFIGURATION }, signal);
    if (found === undefined) {
      log.warn({ kind: resource.kind, name: CONFIGURATION }, 'the webhooks are not configured, so the API server will not call them');
      continue;
    }
    if (found.webhooks.every(({ clientConfig }) => clientConfig.caBundle === caBundle)) continue;
    const webhooks = found.webhooks.map(({ name }) => ({ name, clientConfig: { caBundle } }));
    const body = { apiVersion: found.apiVersion, kind: found.kind, metadata: { name: CONFIGURATION }, webhooks };
    await client.patch(resource, { name: CONFIGURATION }, { type: 'apply', body, force: true }, signal, { fieldManager: FIELD_MANAGER });
    log.info({ kind: resource.kind, name: CONFIGURATION }, 'the API server was told which authority to trust');
  }
}
