/** Self-signed certificates for 127.0.0.1: Node can verify certificates but not make them, so this writes the few bytes of DER. */
import { createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface SelfSigned {
  readonly cert: string;
  readonly key: string;
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const length = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const oid = (...bytes: readonly number[]) => der(0x06, Buffer.from(bytes));
const ECDSA_WITH_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const time = (text: string) => der(0x18, Buffer.from(text));
const extension = (id: Buffer, critical: boolean, value: Buffer) =>
  sequence(id, ...(critical ? [der(0x01, Buffer.from([0xff]))] : []), der(0x04, value));

export function selfSigned(commonName: string, dnsName = 'localhost'): SelfSigned {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(commonName)))));
  const alternatives = sequence(der(0x82, Buffer.from(dnsName)), der(0x87, Buffer.from([127, 0, 0, 1])));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1, ...randomBytes(8)])),
    ECDSA_WITH_SHA256,
    name,
    sequence(time('20000101000000Z'), time('20991231235959Z')),
    name,
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(
        extension(oid(0x55, 0x1d, 0x13), true, sequence(der(0x01, Buffer.from([0xff])))),
        extension(oid(0x55, 0x1d, 0x11), false, alternatives),
      ),
    ),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature));
  const pem = certificate
    .toString('base64')
    .match(/.{1,64}/g)
    ?.join('\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${pem}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
