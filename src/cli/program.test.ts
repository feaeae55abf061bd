import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { TenantPlan } from '../gateway/tenant-plan.ts';
import { projections } from '../hosted-cluster/objects.ts';
import { Scratch } from './testing/directory.ts';
import { hcpio } from './testing/hcpio.ts';

const example = (name: string): string => join(import.meta.dirname, '..', '..', 'examples', name);
const BLUE = example('blue');

describe('help', () => {
  test.each([
    [['--help']],
    [['plan', '--help']],
    [['render', '-h']],
    [['help', 'explain']],
    [['crd', '--help']],
    [['status', '--help']],
    [['leases', '--help']],
    [['verify', '--help']],
    [['connections', '--help']],
  ])('%s is no error and fits the page', async (args) => {
    const { status, out, err } = await hcpio(args);
    expect({ status, err, tooLong: out.split('\n').filter((line) => line.length > 100), usage: out.startsWith('Usage: hcpio') }).toEqual({
      status: 0,
      err: '',
      tooLong: [],
      usage: true,
    });
  });

  test('every command shows examples', async () => {
    for (const command of ['plan', 'render', 'explain', 'crd', 'status', 'leases', 'verify', 'connections'])
      expect((await hcpio([command, '--help'])).out).toContain(`\nExamples:\n  hcpio ${command}`);
  });

  test('plan shows how to get every kind that is read', async () => {
    const { out } = await hcpio(['plan', '--help']);
    const asked = /kubectl get ([\s\S]*?) -A/
      .exec(out)?.[1]
      ?.replaceAll(/[\\\s]/g, '')
      .split(',')
      .map((name) => name.split('.')[0]);
    const kinds = [...Object.keys(projections).map((key) => key.split('/')[1] ?? ''), 'TenantNetwork'];
    const plural = (kind: string) =>
      ({ DNS: 'dnses', Proxy: 'proxies', Ingress: 'ingresses', NetworkAttachmentDefinition: 'network-attachment-definitions' })[kind] ??
      `${kind.toLowerCase()}s`;
    expect(asked?.toSorted()).toEqual(kinds.map(plural).toSorted());
  });

  test('as a kubectl plugin it says what the user typed', async () => {
    const { out } = await hcpio(['plan', '--help'], { command: 'kubectl hcpio' });
    expect([out.startsWith('Usage: kubectl hcpio plan'), out.includes('\n  kubectl hcpio plan -f examples/blue')]).toEqual([true, true]);
  });
});

describe('what the user got wrong is status 1 and one line that says so', () => {
  test.each([
    [['plna'], "unknown command 'plna'\n(Did you mean plan?)"],
    [['plan'], "required option '-f, --filename <path...>' not specified"],
    [['plan', '-f', BLUE, '-o', 'xml'], "option '-o, --output <format>' argument 'xml' is invalid. Allowed choices are table, json, yaml."],
    [['plan', '-f', '/nowhere/at/all'], 'cannot read /nowhere/at/all: no such file or directory'],
    [['plan', '-f', BLUE, '--tenant', 'clusters/green'], 'there is no tenant clusters/green in the input; it has clusters/blue'],
    [['plan', BLUE], "required option '-f, --filename <path...>' not specified"],
    [['render', '-f', BLUE], "required option '--out <directory>' not specified"],
    [['render', '-f', BLUE, '--out', join(BLUE, 'hub.yaml')], `${join(BLUE, 'hub.yaml')} is not a directory`],
    [
      ['render', '-f', BLUE, '--out', BLUE],
      `${BLUE} holds files that hcpio did not write (attachment.yaml, control-plane.yaml, hosted-cluster.yaml and 3 more): choose another directory, or replace files of the same names with --force`,
    ],
    [['render', '-f', BLUE, '--out', ''], "option '--out <directory>' argument '' is invalid. Name a directory."],
    ...['', ' ', 'registry.example.com/edge 1', 'edge:1\n'].map((image): [string[], string] => [
      ['render', '-f', BLUE, '--out', '/dev/null', '--image', image],
      `option '--image <reference>' argument '${image}' is invalid. It is no image reference.`,
    ]),
    [['explain', 'spec.segmet'], 'TenantNetwork.spec has no field "segmet"; did you mean segment?'],
    [['crd', 'extra'], "too many arguments for 'crd'. Expected 0 arguments but got 1: extra."],
  ])('%j', async (args, message) => {
    const { status, out, err } = await hcpio(args);
    expect({ status, out, err: err.slice(0, message.length + 7) }).toEqual({ status: 1, out: '', err: `hcpio: ${message}` });
  });
});

describe('plan', () => {
  test('one tenant is one object, in the order that is documented', async () => {
    const plan = JSON.parse((await hcpio(['plan', '-f', BLUE, '-o', 'json'])).out) as TenantPlan;
    expect(Object.keys(plan)).toEqual([
      'tenant',
      'mode',
      'controlPlaneNamespace',
      'edgeNamespace',
      'addresses',
      'names',
      'listeners',
      'upstreams',
      'segment',
      'edges',
      'prober',
      'endpoints',
      'dhcp',
      'dns',
      'openPorts',
      'findings',
    ]);
    expect(plan.addresses).toEqual({
      ipv4: {
        cidr: '192.168.100.0/24',
        router: '192.168.100.1',
        edgeA: '192.168.100.2',
        vip: '192.168.100.3',
        edgeB: '192.168.100.4',
        prober: '192.168.100.5',
        pool: [['192.168.100.10', '192.168.100.254']],
      },
    });
    expect(plan.listeners.at(-1)).toEqual({
      address: '192.168.100.3',
      port: 6443,
      kind: 'tcp',
      routes: [{ sni: null, upstream: 'clusters-blue/kube-apiserver:6443' }],
    });
  });

  test('JSON and YAML say the same', async () => {
    expect(parse((await hcpio(['plan', '-f', BLUE, '-o', 'yaml'])).out)).toEqual(
      JSON.parse((await hcpio(['plan', '-f', BLUE, '-o', 'json'])).out),
    );
  });

  const files = (name: string) =>
    ['tenant-network', 'hosted-cluster', 'control-plane', 'attachment', 'machines'].map((file) => join(example(name), `${file}.yaml`));

  test('several tenants are a list, and one of them can be picked', async () => {
    const both = ['plan', '-f', BLUE, ...files('nodeport').flatMap((file) => ['-f', file]), '-o', 'json'];
    const all = JSON.parse((await hcpio(both)).out) as TenantPlan[];
    expect(all.map((plan) => plan.tenant)).toEqual(['clusters/blue', 'clusters/green']);
    expect(JSON.parse((await hcpio([...both, '--tenant', 'clusters/green'])).out)).toEqual(all[1]);
  });

  test('standard input is read like a file', async () => {
    const { status, out } = await hcpio(['plan', '-f', '-', '-o', 'json'], { stdin: 'kind: [\n' });
    expect({ status, out: JSON.parse(out) as unknown }).toMatchObject({
      status: 2,
      out: { findings: [{ code: 'HCPIO-IN-001', at: 'stdin:2', object: 'stdin file' }] },
    });
  });

  test('with error findings the plan is still shown, and every finding points into the files', async () => {
    const { status, out } = await hcpio(['plan', '-f', example('mistakes'), '-o', 'json']);
    const { tenant, findings } = JSON.parse(out) as { tenant: string; findings: { code: string; at?: string }[] };
    expect({ status, tenant, unplaced: findings.filter(({ at }) => at === undefined) }).toEqual({
      status: 2,
      tenant: 'clusters/gray',
      unplaced: [],
    });
  });

  test('broken input is told alone: no plan is made from the rest', async () => {
    using scratch = new Scratch({ 'x.yaml': 'a: [' });
    const { status, out } = await hcpio(['plan', '-f', BLUE, '-f', scratch.path]);
    expect({ status, out }).toEqual({
      status: 2,
      out: expect.stringMatching(
        /^INPUT: 1 error\n\n {2}error {4}HCPIO-IN-001 {2}\S+x\.yaml:1\n {4}this is not readable: [\s\S]*\n {4}fix: correct the YAML or JSON\n$/,
      ) as string,
    });
  });

  test('a bad annotation is told where it stands', async () => {
    using scratch = new Scratch({
      'hc.yaml':
        'apiVersion: hypershift.openshift.io/v1beta1\nkind: HostedCluster\nmetadata:\n  name: a\n  namespace: b\n  annotations:\n    hcpio.io/tenant-network: ""\nspec: {platform: {type: KubeVirt}}\n',
    });
    const { status, out } = await hcpio(['plan', '-f', scratch.path, '-o', 'json']);
    expect({ status, out: JSON.parse(out) as unknown }).toMatchObject({
      status: 2,
      out: { findings: [{ code: 'HCPIO-ATT-005', at: `${scratch.at('hc.yaml')}:7` }] },
    });
  });
});

describe('examples', () => {
  test.each([
    ['blue', 'clusters/blue', 0],
    ['nodeport', 'clusters/green', 0],
    ['all-routes', 'clusters/red', 0],
    ['dual-stack', 'clusters/teal', 0],
    ['mistakes', 'clusters/gray', 2],
  ])('%s', async (name, tenant, expected) => {
    const { status, out } = await hcpio(['plan', '-f', example(name)]);
    expect({ status, heading: out.split('\n')[0] }).toEqual({ status: expected, heading: `Tenant network ${tenant}, mode Gateway` });
  });
});

describe('render', () => {
  test('writes the whole tenant, and the same again the next time', async () => {
    using scratch = new Scratch();
    const args = ['render', '-f', BLUE, '--out', scratch.at('out')];
    const { status, out, err } = await hcpio(args);
    expect({ status, err, out: out.replace(/^\d+/, 'N') }).toEqual({
      status: 0,
      err: '',
      out: `N files for 1 tenant written to ${scratch.at('out')}\nApply them with: kubectl apply --server-side -k ${scratch.at('out')}\n`,
    });
    const first = scratch.files();
    expect(Object.keys(first)).toEqual(
      expect.arrayContaining([
        'out/kustomization.yaml',
        'out/manifests/01-namespace-clusters-blue-edge.yaml',
        'out/configs/edge-a/dns/Corefile',
        'out/configs/edge-b/dns/Corefile',
      ]),
    );
    expect((await hcpio(args)).status).toBe(0);
    expect(scratch.files()).toEqual(first);
  });

  test('the platform and the image are told to the renderers', async () => {
    using scratch = new Scratch();
    await hcpio(['render', '-f', BLUE, '--out', scratch.at('out'), '--platform', 'kubernetes', '--image', 'registry.example.com/edge:1']);
    const files = Object.entries(scratch.files());
    expect(files.filter(([path]) => path.includes('securitycontextconstraints'))).toEqual([]);
    expect(files.find(([path]) => path.includes('statefulset'))?.[1]).toContain('registry.example.com/edge:1');
  });

  test('findings that are no errors are told beside it', async () => {
    using scratch = new Scratch();
    const { status, err } = await hcpio(['render', '-f', example('dual-stack'), '--out', scratch.at('out')]);
    expect({ status, told: err.includes('HCPIO-NET-018') }).toEqual({ status: 0, told: true });
  });
});

test('crd prints what deploy/ holds', async () => {
  const { status, out } = await hcpio(['crd']);
  expect({ status, name: (parse(out) as { metadata: unknown }).metadata }).toEqual({
    status: 0,
    name: { name: 'tenantnetworks.hcpio.io' },
  });
});

test('explain without a path explains the object', async () => {
  expect(await hcpio(['explain'])).toEqual(await hcpio(['explain', 'TenantNetwork']));
});

test('the version is that of the package', async () => {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8')) as { version: string };
  expect(await hcpio(['--version'])).toEqual({ status: 0, out: `${manifest.version}\n`, err: '' });
});
