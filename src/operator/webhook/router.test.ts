import { expect, test } from 'vitest';
import { RecordedLog } from '../../kube/testing/telemetry-recorder.ts';
import { PATHS } from './configurations.ts';
import type { HubKnowledge } from './hub-knowledge.ts';
import { routes } from './router.ts';
import { hub, tenantObject } from './testing/hub.ts';

const review = (object: unknown, request: Record<string, unknown> = {}) =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u-1', operation: 'CREATE', namespace: 'clusters', name: 'blue', object, oldObject: null, ...request },
  });

function served(knowledge: HubKnowledge = hub()) {
  const log = new RecordedLog();
  const route = routes(knowledge, log);
  return { log, post: (path: string, body: string) => route('POST', path, body), route };
}
const json = (reply: { body: string }) => JSON.parse(reply.body) as unknown;

test('a refusal carries the uid of the question and the sentence of the check', () => {
  const { post, log } = served();
  const reply = post(PATHS.validate, review(tenantObject({ mode: 'PrimaryUDN' })));
  expect({ status: reply.status, body: json(reply), log: log.messages('info') }).toEqual({
    status: 200,
    body: {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: {
        uid: 'u-1',
        allowed: false,
        status: {
          code: 422,
          reason: 'Invalid',
          message: 'HCPIO-MODE-001 spec.mode: mode PrimaryUDN is not built yet. Fix: set spec.mode to Gateway',
        },
      },
    },
    log: ['refused'],
  });
});

test('warnings go along with a yes', () => {
  const { post } = served();
  const reply = post(PATHS.validate, review(tenantObject({ gateway: { dhcp: { serve: 'Anyone' } } })));
  expect(json(reply)).toMatchObject({ response: { allowed: true, warnings: [expect.stringContaining('HCPIO-DHCP-005')] } });
});

test('a patch is JSON Patch in base64, as the API server wants it', () => {
  const { post, log } = served(hub({ keeper: { gated: true, proven: false } }));
  const reply = post(PATHS.pause, review({ metadata: {}, spec: { clusterName: 'blue' } }));
  const { response } = json(reply) as { response: { patch: string; patchType: string; allowed: boolean } };
  const patch: unknown = JSON.parse(Buffer.from(response.patch, 'base64').toString());
  expect({ type: response.patchType, allowed: response.allowed, patch, log: log.messages('info') }).toEqual({
    type: 'JSONPatch',
    allowed: true,
    patch: [
      { op: 'add', path: '/metadata/annotations', value: { 'hcpio.io/paused-until-segment-is-proven': 'true' } },
      { op: 'add', path: '/spec/pausedUntil', value: 'true' },
    ],
    log: ['a new NodePool is held'],
  });
});

test('a question that needs no change is answered without a patch', () => {
  const { post } = served();
  expect(json(post(PATHS.pause, review({ metadata: {}, spec: { clusterName: 'blue' } })))).toMatchObject({
    response: { uid: 'u-1', allowed: true },
  });
});

test.each([
  ['no JSON', '{'],
  [
    'another version',
    JSON.stringify({ apiVersion: 'admission.k8s.io/v1beta1', kind: 'AdmissionReview', request: { uid: 'u', operation: 'CREATE' } }),
  ],
  ['no request', JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' })],
])('%s is the fault of who asks', (_, body) => {
  expect(served().post(PATHS.validate, body).status).toBe(400);
});

test('other paths and methods are told apart', () => {
  const { route } = served();
  expect([route('POST', '/', '').status, route('GET', PATHS.validate, '').status]).toEqual([404, 405]);
});

test('a defect of ours is 500 and an error in the log, and never a yes', () => {
  const broken: HubKnowledge = {
    ...hub(),
    ready: () => {
      throw new Error('boom');
    },
  };
  const { post, log } = served(broken);
  expect({ status: post(PATHS.validate, review(tenantObject())).status, log: log.messages('error') }).toEqual({
    status: 500,
    log: ['the webhook failed'],
  });
});
