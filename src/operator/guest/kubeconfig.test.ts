import { expect, test } from 'vitest';
import { guestConnection, readGuestKubeconfig } from './kubeconfig.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const material = { ca: 'the CA', cert: 'a certificate', key: 'its key', servername: 'kube-apiserver' };

test('what HyperShift writes, which is YAML', () => {
  const text = `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${base64('the CA')}
    server: https://kube-apiserver:6443
  name: cluster
users:
- name: admin
  user:
    client-certificate-data: ${base64('a certificate')}
    client-key-data: ${base64('its key')}
`;
  expect(readGuestKubeconfig(text)).toEqual(material);
});

test('the same as JSON', () => {
  const config = {
    clusters: [{ cluster: { 'certificate-authority-data': base64('the CA') } }],
    users: [{ user: { 'client-certificate-data': base64('a certificate'), 'client-key-data': base64('its key') } }],
  };
  expect(readGuestKubeconfig(JSON.stringify(config))).toEqual(material);
});

test.each(['', 'users: []', `certificate-authority-data: ${base64('alone')}`])('something else holds nothing: %j', (text) => {
  expect(readGuestKubeconfig(text)).toBeUndefined();
});

test('it is dialled by address, of either family', () => {
  expect([guestConnection('172.30.0.7', 6443, {}).server.href, guestConnection('fd00::7', 6443, {}).server.href]).toEqual([
    'https://172.30.0.7:6443/',
    'https://[fd00::7]:6443/',
  ]);
});
