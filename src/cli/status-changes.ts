import { printable } from './layout.ts';
import type { TenantView } from './tenant-view.ts';

/** What is new, one sentence each: for `--watch` where nothing can be drawn again in place, and for the log of a demonstration. */
export function changes(before: TenantView | undefined, after: TenantView): string[] {
  return [
    ...conditionChanges(before, after),
    ...edgeChanges(before, after),
    ...nodePoolChanges(before, after),
    ...machineChanges(before, after),
  ];
}

function conditionChanges(before: TenantView | undefined, after: TenantView): string[] {
  return after.conditions.flatMap(({ type, status, reason, message }) => {
    const old = before?.conditions.find((condition) => condition.type === type);
    // What Ready waits for has been told by then: it sums up the others.
    if (old?.status === status && (type === 'Ready' || (old.reason === reason && old.message === message))) return [];
    return [`${type} is ${status} (${reason}): ${printable(message)}`];
  });
}

function edgeChanges(before: TenantView | undefined, after: TenantView): string[] {
  return after.edges.flatMap(({ name, pod, node, ready, holdsVip, trouble }) => {
    const old = before?.edges.find((edge) => edge.name === name);
    const place = [...(pod === undefined ? [] : [pod]), ...(node === undefined ? [] : [`on ${node}`])].join(' ');
    return [
      ...(old?.ready === ready && old?.pod === pod && old?.node === node
        ? []
        : [
            `${name} is ${ready ? 'ready' : `not ready${trouble === undefined ? '' : `: ${printable(trouble)}`}`}${place === '' ? '' : ` (${place})`}`,
          ]),
      ...(holdsVip === true && old?.holdsVip !== true ? [`${name} holds the VIP`] : []),
    ];
  });
}

function nodePoolChanges(before: TenantView | undefined, after: TenantView): string[] {
  return after.nodePools.flatMap(({ name, gate, nodes }) => {
    const old = before?.nodePools.find((pool) => pool.name === name);
    return [
      ...(old?.gate === gate ? [] : [`NodePool ${name} is ${gate}`]),
      ...((old?.nodes ?? 0) === nodes ? [] : [`NodePool ${name} has ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`]),
    ];
  });
}

/** The way of each machine; what is not known any more is no news. */
function machineChanges(before: TenantView | undefined, after: TenantView): string[] {
  return after.machines.flatMap((machine) => {
    const old = before?.machines.find(({ mac }) => mac === machine.mac);
    const { phase, hubNode, lease, reached = [], registered, ready } = machine;
    const news = [
      ...(phase === undefined || phase === old?.phase ? [] : [`is ${phase}${hubNode === undefined ? '' : ` on ${hubNode}`}`]),
      ...(lease === undefined || lease === 'none' || lease === old?.lease
        ? []
        : [`has its lease of ${machine.addresses.join(', ')} (${lease})`]),
      ...reached.filter((service) => !old?.reached?.includes(service)).map((service) => `has reached ${service}`),
      ...(registered && !old?.registered ? ['has registered as a Node'] : []),
      ...(ready === undefined || ready === old?.ready ? [] : [ready ? 'is Ready' : 'is not Ready']),
    ];
    return news.map((text) => `machine ${machine.machine} ${printable(text)}`);
  });
}
