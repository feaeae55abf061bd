import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { issue } from '../../pki/issue.ts';
import { type ReadyEndpoints, readEndpoints } from '../endpoints.ts';
import type { HostedCluster, HostedControlPlane, Route, Service } from '../hosted-cluster.ts';
import { fixture, fixtureText, type Variant } from '../testing/fixtures.ts';
import { AUTHORITIES, certificates } from './catalogue.ts';
import { kubeconfigSecrets, type Material, pkiObjects } from './secrets.ts';

function made(variant: Variant) {
  const read = <T>(file: string) => fixture(variant, 'final', file) as readonly unknown[] as readonly T[];
  const [cluster] = read<HostedCluster>('hostedcluster');
  const [hcp] = read<HostedControlPlane>('hostedcontrolplane');
  if (cluster === undefined || hcp === undefined) throw new Error('the fixture is incomplete');
  const endpoints = readEndpoints(cluster.spec, { services: read<Service>('services'), routes: read<Route>('routes') }) as ReadyEndpoints;
  const pairs = issue(AUTHORITIES, certificates(hcp, endpoints), new Date());
  const material: Material = { pairs, serviceAccountKey: { privateKey: 'k', publicKey: 'p' }, kubeadminPassword: 'x' };
  return { hcp, endpoints, material };
}

interface Described {
  readonly type: string;
  readonly keys: string;
  readonly lines: readonly string[];
}

/** secrets.txt, as far as it speaks of what the player makes too. */
function described(variant: Variant, names: ReadonlySet<string>): Readonly<Record<string, Described>> {
  const found: Record<string, { type: string; keys: string; lines: string[] }> = {};
  let current: { lines: string[] } | undefined;
  for (const line of fixtureText(variant, 'final', 'secrets.txt').split('\n')) {
    const head = /^(\S+) (?:type=(\S+) )?keys=(\S+)$/.exec(line);
    if (head === null) {
      if (line.trim() !== '') current?.lines.push(line.trim());
      continue;
    }
    const [, name = '', type = '', keys = ''] = head;
    current = { lines: [] };
    if (names.has(name)) found[name] = Object.assign(current, { type, keys });
  }
  return found;
}

const USAGES: Readonly<Record<string, string>> = {
  '1.3.6.1.5.5.7.3.1': 'TLS Web Server Authentication',
  '1.3.6.1.5.5.7.3.2': 'TLS Web Client Authentication',
};

function describeCertificate(key: string, pem: string): readonly string[] {
  const certificate = new X509Certificate(pem);
  const usages = (certificate.keyUsage ?? []).map((oid) => USAGES[oid] ?? oid).sort();
  const sans = (certificate.subjectAltName ?? '').replaceAll('IP Address:0:0:0:0:0:0:0:1', 'IP Address:::1');
  return [
    `${key}: subject=${distinguished(certificate.subject)} | issuer=${distinguished(certificate.issuer)} | ca=${certificate.ca ? 'True' : 'False'} | eku=${usages.join(', ') || '-'}`,
    `SAN=${sans || '-'}`,
  ];
}

/** `O=a + O=c\nCN=b` -> `CN=b,O=a+O=c`, as secrets.txt prints it; organisations are a set, so they are sorted. */
function distinguished(name: string): string {
  const parts = name.split(/\n| \+ /).map((part) => part.split(/=(.*)/s) as [string, string]);
  const of = (kind: string) => parts.filter(([key]) => key === kind).map(([key, value]) => `${key}=${value}`);
  return [of('CN'), of('O'), of('OU')]
    .filter((values) => values.length > 0)
    .map((values) => values.sort().join('+'))
    .join(',');
}

function describeData(data: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(data)
    .sort(([a], [b]) => a.localeCompare(b))
    .flatMap(([key, text]) => {
      if (key === 'kubeconfig') return [`kubeconfig: server=${/"server": "(\S+)"/.exec(text)?.[1]}`];
      const pems = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
      return pems.flatMap((pem) => describeCertificate(key, pem));
    });
}

describe.each(['blue', 'gray'] as const)('%s', (variant) => {
  test('every Secret and bundle has the keys, subjects, signers, usages and names that HyperShift gave it', () => {
    const { hcp, endpoints, material } = made(variant);
    const objects = [...pkiObjects(hcp, endpoints, material), ...kubeconfigSecrets(hcp, endpoints, material)];
    const ours = objects.map((object) => {
      const data = object['data'] as Readonly<Record<string, string>>;
      const isSecret = object.kind === 'Secret';
      const texts = Object.fromEntries(
        Object.entries(data).map(([key, text]) => [key, isSecret ? Buffer.from(text, 'base64').toString() : text]),
      );
      const name = isSecret ? object.metadata.name : `configmap/${object.metadata.name}`;
      return [
        name,
        { type: isSecret ? String(object['type']) : '', keys: Object.keys(data).sort().join(','), lines: describeData(texts) },
      ] as const;
    });
    expect(Object.fromEntries(ours)).toEqual(normalised(described(variant, new Set(ours.map(([name]) => name)))));
  });
});

/** The dump writes ::1 in full, and the organisations of a name in the order of their making. */
function normalised(all: Readonly<Record<string, Described>>): unknown {
  const sorted = JSON.stringify(all).replaceAll(/O=[^,|]*\+[^,| ]*/g, (set) => set.split('+').sort().join('+'));
  return JSON.parse(sorted.replaceAll('IP Address:0:0:0:0:0:0:0:1', 'IP Address:::1'));
}

test('workers who trust the API do not therefore trust ignition, nor the other way round', () => {
  const { material } = made('blue');
  const certificate = (secret: string) => new X509Certificate(material.pairs.get(secret)?.cert ?? '');
  const signedBy = (leaf: string, signer: string) => certificate(leaf).verify(certificate(signer).publicKey);
  expect({
    proxyByIgnition: signedBy('ignition-server-serving-cert', 'ignition-server-ca-cert'),
    proxyByRoot: signedBy('ignition-server-serving-cert', 'root-ca'),
    serverByRoot: signedBy('ignition-server', 'root-ca'),
    serverByIgnition: signedBy('ignition-server', 'ignition-server-ca-cert'),
  }).toEqual({ proxyByIgnition: true, proxyByRoot: false, serverByRoot: true, serverByIgnition: false });
});
