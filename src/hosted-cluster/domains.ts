import { parseHost } from './host.ts';
import type { HostedCluster } from './objects.ts';

/**
 * `<prefix or name>.<baseDomain>`, as HyperShift computes it: the zone of api, api-int and the machines. Empty while the base domain is not
 * known (with baseDomainPassthrough HyperShift writes it itself). An empty prefix means none at all, not even the name.
 */
export function clusterDomain({ metadata, spec }: HostedCluster): string {
  const { baseDomain, baseDomainPrefix = metadata.name } = spec.dns;
  return baseDomain === '' || baseDomainPrefix === '' ? baseDomain : `${baseDomainPrefix}.${baseDomain}`;
}

/** What `*.` stands before: the domain of the guest's default ingress. Empty while it is unknown, and when it is no DNS name. */
export function appsDomain(hostedCluster: HostedCluster): string {
  const cluster = clusterDomain(hostedCluster);
  const domain = chosenAppsDomain(hostedCluster)?.text ?? (cluster === '' ? '' : `apps.${cluster}`);
  return parseHost(domain)?.kind === 'name' ? domain : '';
}

/** The apps domain that a person chose, and the field where. */
export function chosenAppsDomain({ spec }: HostedCluster): { readonly text: string; readonly path: string } | undefined {
  const { appsDomain: apps = '', domain = '' } = spec.configuration?.ingress ?? {};
  if (apps !== '') return { text: apps, path: 'spec.configuration.ingress.appsDomain' };
  return domain === '' ? undefined : { text: domain, path: 'spec.configuration.ingress.domain' };
}
