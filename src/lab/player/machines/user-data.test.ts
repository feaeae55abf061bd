import { expect, test } from 'vitest';
import type { HostedCluster } from '../hosted-cluster.ts';
import { fixture } from '../testing/fixtures.ts';
import { userDataStub } from './user-data.ts';

const { spec } = fixture('blue', 'final', 'hostedcluster')[0] as unknown as HostedCluster;
const INPUT = {
  ignitionEndpoint: 'ignition.blue.example.com',
  ca: 'PEM',
  token: 'a-token',
  nodePool: 'clusters/blue',
  configHash: '2edeb12c',
  cluster: spec,
};

test('the stub says where the config is, how to ask for it and whom to trust, and nothing else', () => {
  expect(JSON.parse(userDataStub(INPUT))).toEqual({
    ignition: {
      version: '3.2.0',
      config: {
        merge: [
          {
            source: 'https://ignition.blue.example.com/ignition',
            httpHeaders: [
              { name: 'Authorization', value: 'Bearer YS10b2tlbg==' },
              { name: 'NodePool', value: 'clusters/blue' },
              { name: 'TargetConfigVersionHash', value: '2edeb12c' },
            ],
          },
        ],
      },
      security: { tls: { certificateAuthorities: [{ source: 'data:text/plain;base64,UEVN' }] } },
    },
  });
});

test('with a proxy the stub carries it, and a list of exceptions that knows the networks but no published name', () => {
  const proxy = { httpsProxy: 'http://proxy.example.com:3128', noProxy: 'kubernetes,.example.org' };
  const stub = JSON.parse(userDataStub({ ...INPUT, cluster: { ...spec, configuration: { proxy } } })) as { ignition: { proxy: unknown } };
  expect(stub.ignition.proxy).toEqual({
    httpsProxy: 'http://proxy.example.com:3128',
    noProxy: ['.cluster.local', '.example.org', '.local', '.svc', '10.132.0.0/14', '127.0.0.1', '172.31.0.0/16', 'kubernetes', 'localhost'],
  });
});
