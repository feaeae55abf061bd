import type { HostedControlPlane, Manifest } from '../hosted-cluster.ts';
import { hubIdentity } from './identity.ts';
import { deployment } from './pod.ts';

/** Serves the payload of a token, and notes on the token's Secret that somebody came for it. A stand-in: see stand-ins/. */
export function ignitionServer(hcp: HostedControlPlane): readonly Manifest[] {
  const dir = '/var/run/secrets/ignition/serving-cert';
  return [
    ...hubIdentity(hcp, 'ignition-server', [
      { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch', 'update', 'patch', 'delete'] },
    ]),
    deployment(hcp, {
      name: 'ignition-server',
      containers: [
        {
          name: 'ignition-server',
          command: ['/usr/bin/stand-ins', 'ignition-server', `--cert-file=${dir}/tls.crt`, `--key-file=${dir}/tls.key`, '--listen=:9090'],
          ports: { https: 9090 },
          readiness: { path: '/healthz', port: 9090, scheme: 'HTTPS' },
          mounts: { 'serving-cert': dir },
        },
      ],
      volumes: { 'serving-cert': 'secret:ignition-server' },
      hubAccess: true,
      serviceAccount: true,
    }),
  ];
}

/** Ends the TLS of workers with the published name and opens another to ignition-server; HyperShift uses haproxy. A stand-in too. */
export function ignitionServerProxy(hcp: HostedControlPlane): Manifest {
  return deployment(hcp, {
    name: 'ignition-server-proxy',
    containers: [
      {
        name: 'haproxy',
        command: [
          '/usr/bin/stand-ins',
          'ignition-server-proxy',
          '--cert-file=/etc/ssl/serving-cert/tls.crt',
          '--key-file=/etc/ssl/serving-cert/tls.key',
          '--upstream=https://ignition-server:443',
          '--upstream-ca=/etc/ssl/root-ca/ca.crt',
          '--listen=:8443',
        ],
        ports: { https: 8443 },
        readiness: { path: '/healthz', port: 8443, scheme: 'HTTPS' },
        mounts: { 'serving-cert': '/etc/ssl/serving-cert', 'root-ca': '/etc/ssl/root-ca' },
      },
    ],
    volumes: { 'serving-cert': 'secret:ignition-server-serving-cert', 'root-ca': 'configMap:root-ca' },
    requestServing: true,
  });
}
