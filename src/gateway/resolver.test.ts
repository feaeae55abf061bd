import { expect, test } from 'vitest';
import { resolverAddress } from './resolver.ts';

test.each([
  ['192.0.2.53', '192.0.2.53'],
  ['192.0.2.53:5353', '192.0.2.53'],
  ['2001:db8::53', '2001:db8::53'],
  ['[2001:db8::53]:5353', '2001:db8::53'],
  ['[2001:db8::53]', '2001:db8::53'],
])('%s is asked at %s', (text, address) => {
  expect(resolverAddress(text)).toBe(address);
});

test.each(['/etc/resolv.conf', 'dns.example.com', 'tls://192.0.2.53', '192.0.2.53:port', '', '.', '[192.0.2.53'])(
  '%s is not a resolver',
  (text) => {
    expect(() => resolverAddress(text)).toThrow('is not the address of a resolver');
  },
);
