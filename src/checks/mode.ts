import { check, tenantRef } from './check.ts';

export const modeIsBuilt = check('HCPIO-MODE-001', ({ observed }) => {
  const mode = observed.tenantNetwork.spec.mode;
  if (mode === 'Gateway') return [];
  return [{ object: tenantRef(observed), path: 'spec.mode', message: `mode ${mode} is not built yet`, fix: 'set spec.mode to Gateway' }];
});

const member = { Gateway: 'gateway', LoadBalancer: 'loadBalancer', PrimaryUDN: 'primaryUDN' } as const;

export const settingsFitTheMode = check('HCPIO-MODE-002', ({ observed }) => {
  const { spec } = observed.tenantNetwork;
  return Object.values(member)
    .filter((name) => name !== member[spec.mode] && spec[name] !== undefined)
    .map((name) => ({
      object: tenantRef(observed),
      path: `spec.${name}`,
      message: `spec.${name} holds settings of another mode than ${spec.mode}`,
      fix: `remove spec.${name}, or change spec.mode`,
    }));
});

export const modeChecks = [modeIsBuilt, settingsFitTheMode];
