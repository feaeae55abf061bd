/** Looks at the world from where a light worker stands. */
import type { Lab } from '../../../src/lab/contract.ts';
import { workers } from '../../../src/lab/worker/control.ts';

export async function netnsOf(lab: Lab, worker: string): Promise<string> {
  const shell = await workers.shell(lab, worker);
  if (shell?.place.netns === undefined) throw new Error(`${worker} has no namespace`);
  return shell.place.netns;
}

/** Runs a program of ours inside a namespace and reads the JSON it prints. */
async function ask<T>(lab: Lab, netns: string, program: string, input: unknown): Promise<T> {
  const argv = [process.execPath, '--input-type=module', '--eval', program, JSON.stringify(input)];
  return JSON.parse(await lab.run(argv, { netns })) as T;
}

const DIAL = `
import { connect } from 'node:net';
const targets = JSON.parse(process.argv[1]);
const dial = (target) => new Promise((tell) => {
  const [host, port] = target.split(':');
  const socket = connect({ host, port: Number(port), timeout: 2000 });
  const say = (word) => { socket.destroy(); tell([target, word]); };
  socket.on('connect', () => say('connected')).on('timeout', () => setImmediate(() => say('no answer')));
  socket.on('error', ({ code }) => say(code === 'ECONNREFUSED' ? 'refused' : 'no answer'));
});
console.log(JSON.stringify(Object.fromEntries(await Promise.all(targets.map(dial)))));
`;

export const dial = (lab: Lab, netns: string, targets: readonly string[]) => ask<Record<string, string>>(lab, netns, DIAL, targets);

/** Who dials an address names nobody: without SNI the certificate is held against the address. */
const HANDSHAKE = `
import { isIP } from 'node:net';
import { connect } from 'node:tls';
const asked = JSON.parse(process.argv[1]);
const shake = ({ name, address, port, ca }) => new Promise((tell) => {
  const socket = connect({ host: address, port, servername: isIP(name) ? '' : name, ca, rejectUnauthorized: false, timeout: 5000 });
  socket.on('secureConnect', () => {
    const { subject, issuer, subjectaltname } = socket.getPeerCertificate();
    socket.destroy();
    tell({ name, trusted: socket.authorized, subject: subject.CN, issuer: issuer.CN, names: subjectaltname });
  });
  socket.on('error', (error) => tell({ name, error: error.message })).on('timeout', () => tell({ name, error: 'no answer' }));
});
console.log(JSON.stringify(await Promise.all(asked.map(shake))));
`;

export interface Endpoint {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly ca: string;
}
export interface Shown {
  readonly name: string;
  readonly trusted?: boolean;
  readonly subject?: string;
  readonly issuer?: string;
  readonly names?: string;
  readonly error?: string;
}

export const handshakes = (lab: Lab, netns: string, endpoints: readonly Endpoint[]) =>
  ask<readonly Shown[]>(lab, netns, HANDSHAKE, endpoints);

const GET = `
import { request } from 'node:https';
const asked = JSON.parse(process.argv[1]);
const get = ({ name, address, port, ca, path, headers }) => new Promise((tell) => {
  const call = request({ host: address, port, servername: name, ca, path, headers: { host: name, ...headers }, timeout: 10000 }, (answer) => {
    answer.resume().on('end', () => tell(answer.statusCode));
  });
  call.on('error', (error) => tell(error.message)).end();
});
console.log(JSON.stringify(await Promise.all(asked.map(get))));
`;

export interface Question extends Endpoint {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Status codes, in the order of the questions. */
export const get = (lab: Lab, netns: string, questions: readonly Question[]) =>
  ask<readonly (number | string)[]>(lab, netns, GET, questions);

const RESOLVE = `
import { Resolver } from 'node:dns/promises';
const [server, name, family] = JSON.parse(process.argv[1]);
const resolver = new Resolver({ timeout: 1000, tries: 1 });
resolver.setServers([server]);
console.log(JSON.stringify(await resolver[family === 6 ? 'resolve6' : 'resolve4'](name).then(([first]) => first, (error) => error.code)));
`;

/** The first address that a resolver has for a name, or the code of its refusal. */
export const resolve = (lab: Lab, netns: string, server: string, name: string, family: 4 | 6 = 4) =>
  ask<string>(lab, netns, RESOLVE, [server, name, family]);

const SERIAL = `
import { Resolver } from 'node:dns/promises';
const [server, zone] = JSON.parse(process.argv[1]);
const resolver = new Resolver({ timeout: 1000, tries: 3 });
resolver.setServers([server]);
console.log(JSON.stringify(await resolver.resolveSoa(zone).then(({ serial }) => serial, (error) => error.code)));
`;

/** The serial of a zone as a resolver answers it now, or the code of its refusal. */
export const serialOf = (lab: Lab, netns: string, server: string, zone: string) => ask<number | string>(lab, netns, SERIAL, [server, zone]);
