/** hcpio's operator in the lab, installed from deploy/default as deploy/README.md says; only the images are the lab's. */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { Attachment, Lab } from './contract.ts';
import { ensureDerived } from './images/derived.ts';
import { EDGE_IMAGE } from './images/edge.ts';
import { OPERATOR_IMAGE, operatorImage } from './images/operator.ts';

const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy', 'default');
const NAMESPACE = 'hcpio-system';
const OPERATOR = 'hcpio-operator';

export const operator: Attachment = {
  name: 'operator',
  wanted: (options) => options.operator === true && options.nodes > 0,
  prepare: async (_, signal) => [(await ensureDerived(operatorImage, signal)).archive],
  start: installAndWait,
};

/** Into a lab that stands, or anew where it is installed: what changed since is rolled out. */
export async function deployOperator(lab: Lab, signal: AbortSignal): Promise<void> {
  const { archive } = await lab.step('operator image', () => ensureDerived(operatorImage, signal));
  await lab.step('image on the nodes', () => lab.importImage(archive));
  await installAndWait(lab, signal);
}

async function installAndWait(lab: Lab, signal: AbortSignal): Promise<void> {
  await lab.step('operator installed', () => install(lab, signal));
  await lab.step('operator ready', () => ready(lab, signal));
}

async function install(lab: Lab, signal: AbortSignal): Promise<void> {
  const dir = join(lab.dir, 'operator');
  await mkdir(dir, { recursive: true });
  // JSON is YAML.
  const { archive } = await ensureDerived(operatorImage, signal);
  await writeFile(join(dir, 'kustomization.yaml'), JSON.stringify(kustomization(dir, basename(dirname(archive)))));
  await lab.kubectl(['apply', '--server-side', '--field-manager=hcpio-lab', '-k', dir], { signal });
}

async function ready(lab: Lab, signal: AbortSignal): Promise<void> {
  await lab.kubectl(['rollout', 'status', `--namespace=${NAMESPACE}`, `deployment/${OPERATOR}`, '--timeout=120s'], { signal });
}

/** `build`: what the image was made of. Its name is always the same, so without this an image that is new would start nobody anew. */
const kustomization = (dir: string, build: string) => ({
  apiVersion: 'kustomize.config.k8s.io/v1beta1',
  kind: 'Kustomization',
  // kustomize takes no absolute paths.
  resources: [relative(dir, DEPLOY)],
  patches: [
    {
      patch: JSON.stringify({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: OPERATOR, namespace: NAMESPACE },
        spec: {
          template: {
            metadata: { annotations: { 'hcpio.io/lab-build': build } },
            spec: {
              containers: [
                {
                  name: 'operator',
                  image: OPERATOR_IMAGE,
                  env: [
                    { name: 'HCPIO_EDGE_IMAGE', value: EDGE_IMAGE },
                    { name: 'HCPIO_PROBER_IMAGE', value: OPERATOR_IMAGE },
                  ],
                },
              ],
            },
          },
        },
      }),
    },
  ],
});
