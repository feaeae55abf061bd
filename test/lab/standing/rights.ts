import { expect, test } from 'vitest';
import { json, lab } from './lab.ts';

test('the operator runs under the role that is shipped with it, and was never forbidden anything', async () => {
  const selector = ['--namespace=hcpio-system', '--selector=app.kubernetes.io/name=hcpio-operator'];
  const { items } = await json<{ items: { metadata: { name: string } }[] }>(lab, 'get', 'pods', ...selector);
  expect(items.length).toBeGreaterThan(0);
  const ask = "fetch('http://127.0.0.1:8080/metrics').then((answer) => answer.text()).then(console.log)";
  for (const { metadata } of items) {
    const metrics = await lab.kubectl(['exec', '--namespace=hcpio-system', metadata.name, '--', '/usr/bin/node', '--eval', ask]);
    const requests = metrics.split('\n').filter((line) => line.startsWith('rest_client_requests_total{'));
    expect(requests.some((line) => line.includes('code="200"'))).toBe(true);
    expect(requests.filter((line) => line.includes('code="403"'))).toEqual([]);
  }
});
