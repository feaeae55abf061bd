import { expect, test } from 'vitest';
import { selfSigned } from '../../kube/testing/certificates.ts';
import { MountedCertificate } from './mounted-certificate.ts';

const never = new AbortController().signal;
const [one, two] = [selfSigned('one'), selfSigned('two')];

function mounted(files: Record<string, string>) {
  const readFile = (path: string) => {
    const text = files[path];
    return text === undefined ? Promise.reject(new Error(`no such file: ${path}`)) : Promise.resolve(text);
  };
  return { files, source: new MountedCertificate('/certs', readFile) };
}

test('the pair is read, and stays the same object until the files change', async () => {
  const { files, source } = mounted({ '/certs/tls.crt': one.cert, '/certs/tls.key': one.key });
  const before = await source.current(never);
  expect(before).toEqual(one);
  expect(await source.current(never)).toBe(before);
  Object.assign(files, { '/certs/tls.crt': two.cert, '/certs/tls.key': two.key });
  expect(await source.current(never)).toEqual(two);
});

test('a certificate without its own key is never shown', async () => {
  const { source } = mounted({ '/certs/tls.crt': two.cert, '/certs/tls.key': one.key });
  await expect(source.current(never)).rejects.toThrow('tls.crt and tls.key in /certs are no pair; waiting for both to be renewed');
});

test('a missing Secret is told in words that name it', async () => {
  await expect(mounted({}).source.current(never)).rejects.toThrow(
    "/certs/tls.crt cannot be read; is the Secret of the webhook's certificate mounted?",
  );
});
