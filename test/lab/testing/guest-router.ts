/** A stand-in for the router of a hosted cluster: a process on a worker, what the real API says of it, and who asks for it. */
import { join } from 'node:path';
import type { KubeObject } from '../../../src/kube/object.ts';
import type { RunningLab } from '../../../src/lab/running-lab.ts';
import { netnsOf } from './from-worker.ts';

const ROOT = join(import.meta.dirname, '../../..');
const NODE = join(ROOT, 'node_modules/node/bin/node');
const TLS = join(ROOT, 'test/real/programs/tls.ts');
export const ROUTER = { https: 31_443, http: 31_080 } as const;

/** On that worker and nowhere else, from now on. */
export async function routerOn(lab: RunningLab, name: string, address: string): Promise<void> {
  await lab.declareStandIn({
    name: 'guest router',
    says: 'a process on a worker that answers with its address; OpenShift would run HAProxy there',
  });
  await lab.spawn(`router-${name}`, {
    netns: await netnsOf(lab, name),
    argv: [NODE, TLS, 'listen', `${address}:${ROUTER.https}`, `${address}:${ROUTER.http}`],
  });
  const metadata = { name: 'router-nodeport-default', namespace: 'openshift-ingress' };
  const ports = [
    { name: 'http', port: 80, nodePort: ROUTER.http },
    { name: 'https', port: 443, nodePort: ROUTER.https },
  ];
  await lab.apply(
    [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'openshift-ingress' } },
      { apiVersion: 'v1', kind: 'Service', metadata, spec: { type: 'NodePort', externalTrafficPolicy: 'Local', ports } },
      {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { ...metadata, labels: { 'kubernetes.io/service-name': metadata.name } },
        addressType: 'IPv4',
        ports: [{ name: 'https', port: 443 }],
        endpoints: [{ addresses: ['10.132.0.9'], nodeName: name, conditions: { ready: true } }],
      },
    ] as KubeObject[],
    { kubeconfig: lab.hostedKubeconfig },
  );
}

/** Who answers for `*.apps` when a worker asks at that address: "ADDRESS:PORT from CALLER", or that it was closed. */
export async function askApps(lab: RunningLab, worker: string, vip: string): Promise<string> {
  const argv = [NODE, TLS, 'dial', `${vip}:443`, 'console.apps.blue.example.com'];
  return Object.values(JSON.parse(await lab.run(argv, { netns: await netnsOf(lab, worker) })) as Record<string, string>)[0] ?? '';
}
