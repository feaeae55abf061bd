import { checkOptions } from '../gateway/dhcp-options.ts';
import { type Check, check, tenantRef } from './check.ts';

const ONE_HOUR = 3600;

export const leasesAreShort = check('HCPIO-DHCP-004', ({ observed, settings }) => {
  if (settings.dhcp.serve === 'Nobody' || settings.dhcp.leaseSeconds <= ONE_HOUR) return [];
  return [
    {
      object: tenantRef(observed),
      path: 'spec.gateway.dhcp.leaseSeconds',
      message: `a deleted VM keeps its address for up to ${Math.round(settings.dhcp.leaseSeconds / ONE_HOUR)} h, because it sends no release; replacing all workers may run out of addresses`,
      fix: 'set spec.gateway.dhcp.leaseSeconds to 3600 or less (default 900)',
    },
  ];
});

export const strangersGetNoAddress = check('HCPIO-DHCP-005', ({ observed, settings }) => {
  if (settings.dhcp.serve !== 'Anyone') return [];
  return [
    {
      object: tenantRef(observed),
      path: 'spec.gateway.dhcp.serve',
      message: 'anyone on the segment gets an address, so one VM can take all of them in about a second',
      fix: 'set spec.gateway.dhcp.serve to KnownMachines',
    },
  ];
});

/** One look at the options makes three kinds of findings; each stands in the table under its own code. */
const optionCheck = (code: 'HCPIO-DHCP-001' | 'HCPIO-DHCP-002' | 'HCPIO-DHCP-003'): Check => ({
  code,
  run: ({ observed, settings }) => checkOptions(settings.dhcp, tenantRef(observed)).filter((f) => f.code === code),
});

export const dhcpChecks = [
  optionCheck('HCPIO-DHCP-001'),
  optionCheck('HCPIO-DHCP-002'),
  optionCheck('HCPIO-DHCP-003'),
  leasesAreShort,
  strangersGetNoAddress,
];
