/** The pod network of a node, behind Multus. */
import type { LabNode } from '../contract.ts';
import { POD_BRIDGE } from '../fabric.ts';

/** Bridge and host-local; the routes between the nodes are the fabric's. */
function podNetwork(node: LabNode): unknown {
  return {
    cniVersion: '1.0.0',
    name: 'pods',
    plugins: [
      {
        type: 'bridge',
        bridge: POD_BRIDGE,
        isGateway: true,
        hairpinMode: true, // a pod that calls its own service
        // No masquerading: a policy judges a packet by the address it came from.
        ipMasq: false,
        ipam: { type: 'host-local', ranges: [[{ subnet: node.podCidr }]], routes: [{ dst: '0.0.0.0/0' }] },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  };
}

/**
 * The pod network is a delegate in full, not `clusterNetwork: <path>`: with that, DEL gets a stripped configuration
 * ("no IP ranges specified") and every pod hangs in Terminating.
 */
export function multusConfig(node: LabNode, kubeconfig: string): unknown {
  return {
    cniVersion: '1.0.0',
    name: 'multus',
    type: 'multus',
    kubeconfig,
    namespaceIsolation: true,
    // As on OpenShift: what every namespace may use lives in these.
    globalNamespaces: 'default,openshift-multus,openshift-sriov-network-operator,openshift-cnv',
    logLevel: 'error',
    logToStderr: true,
    capabilities: { portMappings: true },
    delegates: [podNetwork(node)],
  };
}
