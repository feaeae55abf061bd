/** Brings a lab up: what waits for nothing starts at once, what waits for something starts when that is there. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { crdFiles, toolPath } from '../../tools/paths.ts';
import { attachments } from './attachments.ts';
import type { Attachment, LabNode, LabOptions } from './contract.ts';
import { down } from './down.ts';
import { wire } from './fabric.ts';
import { API_PART, ETCD_PART, startControlPlane } from './hub/control-plane.ts';
import { DNS_IMAGE, dnsObjects } from './hub/dns.ts';
import { hubObjects } from './hub/objects.ts';
import { kubeconfigOf, makeHubPki } from './hub/pki.ts';
import { waitForDns, waitForNodes } from './hub/readiness.ts';
import { PAUSE_IMAGE } from './node/containerd.ts';
import { importImageInto } from './node/image-import.ts';
import { writeScratchImage } from './node/scratch-image.ts';
import { containerdPart, kubeletPart, startContainerd, startKubelet, startPolicyEnforcer } from './node/start.ts';
import { checkMachine } from './preflight.ts';
import { type Reporter, StepFailed, silent } from './progress.ts';
import { RunningLab } from './running-lab.ts';
import { claim, markStanding } from './state/claim.ts';
import { together } from './together.ts';

export interface UpOptions {
  readonly reporter: Reporter;
  readonly signal: AbortSignal;
  /** Leave what stands when a step fails, for a look at it. */
  readonly keep: boolean;
}

export async function up(options: LabOptions, { reporter, signal, keep }: UpOptions): Promise<RunningLab> {
  await checkMachine(options.nodes);
  const lab = await RunningLab.of(await claim(options, new Date()), reporter);
  try {
    await build(lab, signal);
    await markStanding(lab.dir);
    return lab;
  } catch (failure) {
    // Not with the caller's signal: it may be the reason why we are here.
    if (!keep) await down({ name: lab.name, reporter: silent, purge: false, signal: new AbortController().signal });
    throw failure;
  }
}

async function build(lab: RunningLab, signal: AbortSignal): Promise<void> {
  const guests = attachments.filter((guest) => guest.wanted(lab.options));
  await together(signal, async (start, inner) => {
    const containerds = Promise.withResolvers<unknown>();
    // Nobody may wait for ever for what will not come.
    inner.addEventListener('abort', () => containerds.reject(inner.reason), { once: true });
    containerds.promise.catch(() => {}); // without guests nobody waits at all
    const loaded = imagesOf(lab, guests, containerds.promise, inner).map((each) => start([each]));
    const [own] = await start([ownImages(lab), lab.step('fabric', () => wire(lab)), certificates(lab)]);
    const api = start([controlPlane(lab, inner)]);
    const runtimes = start(lab.nodes.map((node) => containerd(lab, node, own, inner)));
    await api;
    const crds = start([lab.step('CRDs', () => installCrds(lab, inner), { parts: [API_PART] })]);
    await runtimes;
    containerds.resolve(undefined);
    if (lab.nodes.length > 0) await start([nodes(lab, inner)]);
    await crds;
    const visits = guests.map(async (guest, index) => {
      await loaded[index];
      await guest.start(lab, inner);
    });
    await start(visits);
  });
  await lab.step('every part is alive', () => checkParts(lab));
}

/** Of each guest: when its images are on every node. They are made and loaded one after the other, because each keeps all cores busy. */
function imagesOf(
  lab: RunningLab,
  guests: readonly Attachment[],
  containerds: Promise<unknown>,
  signal: AbortSignal,
): readonly Promise<unknown>[] {
  let made: Promise<unknown> = Promise.resolve();
  let before = containerds;
  return guests.map((guest) => {
    const archives = made.then(async () => (await guest.prepare?.(lab.options, signal)) ?? []);
    const loaded = Promise.all([archives, before]).then(([list]) => importAll(lab, guest.name, list));
    [made, before] = [archives, loaded];
    return loaded;
  });
}

/** What the lab itself puts into pods. */
async function ownImages(lab: RunningLab): Promise<readonly string[]> {
  if (lab.nodes.length === 0) return [];
  const images = [
    { reference: PAUSE_IMAGE, binary: toolPath('pause') },
    { reference: DNS_IMAGE, binary: toolPath('coredns') },
  ];
  const dir = join(lab.dir, 'images');
  await mkdir(dir);
  return Promise.all(images.map((image) => writeScratchImage(image, dir, (argv) => lab.run(argv))));
}

function certificates(lab: RunningLab): Promise<void> {
  return lab.step('certificates', () => makeHubPki(lab, new Date()));
}

async function controlPlane(lab: RunningLab, signal: AbortSignal): Promise<void> {
  const work = async () => {
    await startControlPlane(lab, signal);
    await lab.apply([...hubObjects(lab), ...(lab.nodes.length > 0 ? dnsObjects(lab.hub) : [])], { signal });
  };
  await lab.step('control plane', work, { parts: [ETCD_PART, API_PART] });
}

/** Created, not applied: the API is empty, and merging half a megabyte of schema costs more than storing it. */
async function installCrds(lab: RunningLab, signal: AbortSignal): Promise<void> {
  const files = crdFiles().flatMap((file) => ['-f', file]);
  await lab.kubectl(['create', '--validate=false', '--field-manager=hcpio-lab', ...files], { signal });
  await lab.kubectl(['wait', '--for=condition=Established', '--timeout=120s', 'crd', '--all'], { signal });
}

function containerd(lab: RunningLab, node: LabNode, images: readonly string[], signal: AbortSignal): Promise<void> {
  const work = async () => {
    await startContainerd(lab, node, signal);
    for (const image of images) await importImageInto(lab, node, image);
  };
  return lab.step(`${node.name}: containerd and images`, work, { parts: [node.name, containerdPart(node)] });
}

async function importAll(lab: RunningLab, guest: string, archives: readonly string[]): Promise<void> {
  if (archives.length === 0 || lab.nodes.length === 0) return;
  await lab.step(`images of the ${guest} (${archives.length})`, async () => {
    for (const archive of archives) await lab.importImage(archive);
  });
}

async function nodes(lab: RunningLab, signal: AbortSignal): Promise<void> {
  const parts = lab.nodes.flatMap((node) => [kubeletPart(node), containerdPart(node)]);
  const kubelets = async () => {
    await Promise.all(lab.nodes.map((node) => startKubelet(lab, node)));
    await waitForNodes(lab, parts, signal);
  };
  await lab.step('nodes Ready', kubelets, { parts });
  // It wants the node's address, which the kubelet reports.
  await Promise.all(lab.nodes.map((node) => startPolicyEnforcer(lab, node)));
  await startStorage(lab);
  await lab.step('cluster DNS', () => waitForDns(lab, parts, signal), { parts });
}

async function startStorage(lab: RunningLab): Promise<void> {
  const main = join(import.meta.dirname, 'storage', 'main.ts');
  await lab.spawn('storage', { netns: lab.hub.netns, argv: [process.execPath, main, kubeconfigOf(lab, 'storage'), lab.dir] });
  await lab.declareStandIn({
    name: 'storage',
    says: 'volumes of the default StorageClass are directories of a node, without quota or snapshots; a hub has a real storage driver',
  });
}

/** A part that gave up while nobody waited for it would be missed much later, and by something else. */
async function checkParts(lab: RunningLab): Promise<void> {
  for (const { part, log } of await lab.recordedParts()) if (!(await lab.find(part))) throw new StepFailed(part, 'has ended', [log]);
}
