/** Puts the webhooks together for the operator's main program: one line there, everything else here. */
import type { Client } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import type { ReadFile } from '../../kube/connection.ts';
import type { Logger } from '../../kube/telemetry.ts';
import type { World } from '../world/world.ts';
import { WEBHOOK_SERVICE } from './configurations.ts';
import { knowledgeOf } from './hub-knowledge.ts';
import { type WebhookMetricSink, webhookMetrics } from './metrics.ts';
import { MountedCertificate } from './mounted-certificate.ts';
import { SelfMadeCertificate } from './self-made/self-made-certificate.ts';
import { Webhooks, type WebhooksOptions } from './webhooks.ts';

export interface OpenWebhooks {
  readonly world: World;
  readonly client: Client;
  /** The operator's own: that of the Service under which the API server calls. */
  readonly namespace: string;
  /** Where service-ca's or cert-manager's Secret is mounted; without it the operator makes its own certificate. */
  readonly certificateDirectory: string | undefined;
  readonly readFile: ReadFile;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: WebhookMetricSink;
  /** Of who serves elsewhere than behind the Service: tests, a laptop. */
  readonly serve?: Pick<WebhooksOptions, 'port' | 'host' | 'lookEveryMs'> & { readonly names?: readonly string[] };
}

export function openWebhooks(options: OpenWebhooks): Webhooks {
  const { world, client, namespace, certificateDirectory, readFile, clock, log, metrics, serve = {} } = options;
  const { names = serviceNames(namespace), ...listen } = serve;
  const source =
    certificateDirectory === undefined
      ? new SelfMadeCertificate({ client, namespace, names, clock, log })
      : new MountedCertificate(certificateDirectory, readFile);
  return new Webhooks({ hub: knowledgeOf(world), source, clock, log, metrics: webhookMetrics(metrics), ...listen });
}

const serviceNames = (namespace: string): readonly string[] =>
  ['svc', 'svc.cluster.local'].map((zone) => `${WEBHOOK_SERVICE}.${namespace}.${zone}`);
