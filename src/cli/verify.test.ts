import { expect, test } from 'vitest';
import type { ProbeReport } from '../probes/report.ts';
import { plain } from './terminal.ts';
import { Scratch } from './testing/directory.ts';
import { hcpio } from './testing/hcpio.ts';
import { LiveHub, tenant } from './testing/live-hub.ts';
import { verifyText } from './verify-text.ts';

const report: ProbeReport = {
  tenant: 'clusters/blue',
  list: 'l',
  results: [
    { group: 'DHCP', subject: 'DISCOVER', verdict: 'passed', message: 'edge-a offers an address', milliseconds: 7 },
    {
      group: 'TLS',
      subject: 'OAuthServer oauth.blue.example.com:443',
      verdict: 'noted',
      message: 'another authority',
      fix: 'fine, if meant',
      milliseconds: 15,
    },
    {
      group: 'TLS',
      subject: 'Ignition ignition.blue.example.com:443',
      verdict: 'failed',
      message: 'no answer from 192.168.100.3',
      fix: 'does an edge hold the VIP?',
      milliseconds: 4000,
    },
  ],
  holder: 'edge-b',
  answered: [],
  rogueServers: [],
  serials: [],
};

test('each probe has a line, and what is wrong the next step below it', () => {
  expect(`\n${verifyText(report, 'pod x/prober-0', plain).join('\n')}\n`).toBe(`
Tenant network clusters/blue, seen from pod x/prober-0

  ✓  DHCP  DISCOVER                                7 ms     edge-a offers an address
  !  TLS   OAuthServer oauth.blue.example.com:443  15 ms    another authority
           to do: fine, if meant
  ✗  TLS   Ignition ignition.blue.example.com:443  4000 ms  no answer from 192.168.100.3
           to do: does an edge hold the VIP?

3 probes: 1 passed, 1 noted, 1 failed; edge-b holds the VIP
`);
});

test('from a machine that is not on the segment nothing is proven, and that is said', async () => {
  const list = { tenant: 'clusters/blue', cidrs: ['203.0.113.0/24'], edges: [], vips: [], dns: {}, endpoints: [] };
  using files = new Scratch({ 'probes.json': JSON.stringify(list) });
  const { status, out } = await hcpio(['verify', '--here', files.at('probes.json'), '-o', 'json']);
  expect([status, (JSON.parse(out) as { report: ProbeReport }).report.results]).toEqual([
    1,
    [
      {
        group: 'DHCP',
        subject: 'segment',
        verdict: 'failed',
        message: 'this machine has no address of 203.0.113.0/24',
        fix: 'look from a machine on the segment',
        milliseconds: 0,
      },
    ],
  ]);
});

test.each([
  ['no file', 'missing.json', /^hcpio: cannot read .*missing\.json/],
  ['no JSON', 'text', /^hcpio: .*text is no list of probes; write one with verify TENANT --list\n$/],
  ['another JSON', 'other', /is no list of probes/],
])('what to look at is no list: %s', async (_, name, says) => {
  using files = new Scratch({ text: 'hello', other: '{}' });
  const { status, err } = await hcpio(['verify', '--here', files.at(name)]);
  expect([status, err]).toEqual([2, expect.stringMatching(says)]);
});

test('a tenant whose prober is not there yet could not be asked', async () => {
  await using hub = await LiveHub.start(tenant('blue'));
  const { status, err } = await hcpio(['verify', '--kubeconfig', hub.kubeconfig, 'blue']);
  expect([status, err]).toEqual([
    2,
    'hcpio: nobody can look at the segment of clusters/blue yet; hcpio status says what is waited for: there is no pod clusters-blue-edge/prober-0\n',
  ]);
});

test('what would be looked at is printed as it is written for the prober', async () => {
  await using hub = await LiveHub.start(tenant('blue'));
  hub.server.put('configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'clusters-blue-edge', name: 'prober-probes' },
    data: { 'probes.json': '{"tenant": "clusters/blue"}\n' },
  });
  const { status, out } = await hcpio(['verify', '--kubeconfig', hub.kubeconfig, 'blue', '--list']);
  expect([status, out]).toEqual([0, '{"tenant": "clusters/blue"}\n']);
});
