/** The hub's cluster DNS, with the names, labels and ports of OpenShift's, because HyperShift's NetworkPolicies name them. */
import type { KubeObject } from '../../kube/object.ts';
import type { Hub } from '../contract.ts';

export const DNS_IMAGE = 'localhost/hcpio/coredns:lab';
const NAMESPACE = 'openshift-dns';
const NAME = 'dns-default';
const LABELS = { 'dns.operator.openshift.io/daemonset-dns': 'default' } as const;

/** Answers for the cluster only: there is nothing outside that it could ask. */
const COREFILE = `.:5353 {
    errors
    health :8080
    ready :8181
    kubernetes cluster.local in-addr.arpa ip6.arpa {
        pods insecure
        fallthrough in-addr.arpa ip6.arpa
    }
    cache 30
    loadbalance
}
`;

type Loose = KubeObject & Readonly<Record<string, unknown>>;

export function dnsObjects(hub: Pick<Hub, 'dns'>): readonly Loose[] {
  const metadata = { name: NAME, namespace: NAMESPACE };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'dns', namespace: NAMESPACE } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'openshift-dns' },
      rules: [
        { apiGroups: [''], resources: ['endpoints', 'services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'openshift-dns' },
      subjects: [{ kind: 'ServiceAccount', name: 'dns', namespace: NAMESPACE }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'openshift-dns' },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { Corefile: COREFILE } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: {
        clusterIP: hub.dns,
        selector: LABELS,
        ports: [
          { name: 'dns', port: 53, protocol: 'UDP', targetPort: 'dns' },
          { name: 'dns-tcp', port: 53, protocol: 'TCP', targetPort: 'dns-tcp' },
        ],
      },
    },
    { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec: { selector: { matchLabels: LABELS }, template: dnsPod() } },
  ];
}

function dnsPod(): unknown {
  return {
    metadata: { labels: LABELS },
    spec: {
      serviceAccountName: 'dns',
      priorityClassName: 'system-node-critical',
      dnsPolicy: 'Default',
      tolerations: [{ operator: 'Exists' }],
      containers: [
        {
          name: 'dns',
          image: DNS_IMAGE,
          imagePullPolicy: 'Never',
          args: ['-conf', '/etc/coredns/Corefile'],
          ports: [
            { name: 'dns', containerPort: 5353, protocol: 'UDP' },
            { name: 'dns-tcp', containerPort: 5353, protocol: 'TCP' },
          ],
          readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 1, failureThreshold: 3 },
          livenessProbe: { httpGet: { path: '/health', port: 8080 }, initialDelaySeconds: 30 },
          volumeMounts: [{ name: 'config', mountPath: '/etc/coredns', readOnly: true }],
        },
      ],
      volumes: [{ name: 'config', configMap: { name: NAME } }],
    },
  };
}
