import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inDebian } from './debian.ts';

let files: string;
beforeEach(() => {
  files = mkdtempSync(join(tmpdir(), 'hcpio-debian-'));
});
afterEach(() => rmSync(files, { recursive: true }));

const kea = (subnet: string) =>
  JSON.stringify({
    Dhcp4: {
      'interfaces-config': { interfaces: ['net1'] },
      'lease-database': { type: 'memfile', persist: false },
      subnet4: [{ id: 1, subnet, interface: 'net1' }],
    },
  });

test('Kea accepts a configuration whose interface is one of the links', async () => {
  writeFileSync(join(files, 'kea.conf'), kea('192.168.100.0/24'));
  const { code, stdout, stderr } = await inDebian(['kea-dhcp4', '-t', '/mnt/kea.conf'], { files, links: ['net1'] });
  expect({ code, said: stdout + stderr }).toEqual({ code: 0, said: expect.not.stringContaining('ERROR') });
});

test('Kea refuses a configuration that is wrong, and says why', async () => {
  writeFileSync(join(files, 'kea.conf'), kea('192.168.100.0/99'));
  const { code, stdout, stderr } = await inDebian(['kea-dhcp4', '-t', '/mnt/kea.conf'], { files, links: ['net1'] });
  expect(code).toBe(1);
  expect(stdout + stderr).toContain('Invalid prefix length specified for subnet: 99');
});

test('nft checks a ruleset from its standard input', async () => {
  const ruleset = (verdict: string) =>
    `table inet guard {\n chain input {\n type filter hook input priority 0; policy ${verdict};\n }\n}\n`;
  expect(await inDebian(['nft', '-c', '-f', '-'], { input: ruleset('drop') })).toEqual({ code: 0, stdout: '', stderr: '' });
  expect((await inDebian(['nft', '-c', '-f', '-'], { input: ruleset('perhaps') })).code).toBe(1);
});

test('keepalived checks its configuration', async () => {
  const instance = (id: number) =>
    `vrrp_instance edge { interface net1\n virtual_router_id ${id}\n virtual_ipaddress { 192.168.100.3/24 }\n }\n`;
  const check = async (id: number) => {
    writeFileSync(join(files, 'keepalived.conf'), instance(id));
    return (await inDebian(['keepalived', '-t', '-f', '/mnt/keepalived.conf'], { files, links: ['net1'] })).code;
  };
  expect([await check(100), await check(999)]).toEqual([0, 5]); // 5: the configuration has errors
});

test('nothing but loopback is there when no links are asked for, and the tree cannot be written to', async () => {
  const links = await inDebian(['ip', '-o', 'link', 'show']);
  expect(links.stdout.split('\n').filter((line) => line !== '')).toEqual([expect.stringMatching(/^1: lo:/)]);
  expect(await inDebian(['touch', '/etc/mine'])).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining('Read-only file system') });
});
