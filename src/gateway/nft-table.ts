import { block, line, quoted, type Statement } from './block-config.ts';

/**
 * A table that replaces its former self in one transaction, also the first time: `delete` needs a table to be there, and `destroy` needs a
 * kernel of 6.3. Between the old and the new rules there is no moment without rules.
 */
export const replaceTable = (family: 'inet' | 'arp' | 'netdev', name: string, content: readonly Statement[]): readonly Statement[] => [
  line`add table ${family} ${name}`,
  line`delete table ${family} ${name}`,
  block(line`table ${family} ${name}`, content),
];

/** Quoted, as the grammar wants names of interfaces. */
export const LO = quoted('lo');
export const ETH0 = quoted('eth0');
export const NET1 = quoted('net1');
export const PEER0 = quoted('peer0');

/** By number: the image has no /etc/protocols to look the name up in. */
export const VRRP = 112;

export const counterOf = (name: string): Statement => block(line`counter ${name}`, []);
/** Counters have names, so that they can be read one by one: each tells of something that should not happen. */
export const counted = (name: string) => ['counter', 'name', quoted(name)] as const;
