/** A Go module as a carrier of files: `sum` is its go.sum hash, so that a changed archive is refused. */
export interface CrdModule {
  readonly module: string;
  readonly version: string;
  readonly sum: string;
  readonly files: readonly string[];
}

const HYPERSHIFT = 'cmd/install/assets/crds';
const HYPERSHIFT_OPERATOR = `${HYPERSHIFT}/hypershift-operator/zz_generated.crd-manifests`;
const OPENSHIFT_CONFIG = 'config/v1/zz_generated.crd-manifests';

/** The versions of OpenShift's and KubeVirt's APIs are those that this HyperShift is built against (its go.mod). */
export const CRD_MODULES: readonly CrdModule[] = [
  {
    module: 'github.com/openshift/hypershift',
    version: 'v0.1.82',
    sum: 'h1:iIzHGjWKSCrAstypC+qZrlEROGFrvsuvo4SL/p9VP38=',
    files: [
      `${HYPERSHIFT_OPERATOR}/hostedclusters-Hypershift-Default.crd.yaml`,
      `${HYPERSHIFT_OPERATOR}/hostedcontrolplanes-Hypershift-Default.crd.yaml`,
      `${HYPERSHIFT_OPERATOR}/nodepools-Default.crd.yaml`,
      // HyperShift installs its own copies of Cluster API; taking them from here keeps the set as a hub has it.
      `${HYPERSHIFT}/cluster-api/cluster.x-k8s.io_clusters.yaml`,
      `${HYPERSHIFT}/cluster-api/cluster.x-k8s.io_machines.yaml`,
      `${HYPERSHIFT}/cluster-api-provider-kubevirt/infrastructure.cluster.x-k8s.io_kubevirtmachines.yaml`,
    ],
  },
  {
    module: 'github.com/k8snetworkplumbingwg/network-attachment-definition-client',
    version: 'v1.7.7',
    sum: 'h1:z4P744DR+PIpkjwXSEc6TvN3L6LVzmUquFgmNm8wSUc=',
    files: ['artifacts/networks-crd.yaml'],
  },
  {
    module: 'github.com/openshift/api',
    version: 'v0.0.0-20260805160557-b61243060d5f',
    sum: 'h1:NU7ltJhtFhqAJC+77DcNk6jmIpsJ3a+mebZIceiPW+U=',
    files: [
      'route/v1/zz_generated.crd-manifests/routes.crd.yaml',
      `${OPENSHIFT_CONFIG}/0000_03_config-operator_01_proxies.crd.yaml`,
      `${OPENSHIFT_CONFIG}/0000_10_config-operator_01_dnses-Default.crd.yaml`,
      `${OPENSHIFT_CONFIG}/0000_10_config-operator_01_infrastructures-Default.crd.yaml`,
      `${OPENSHIFT_CONFIG}/0000_10_config-operator_01_ingresses-Default.crd.yaml`,
      `${OPENSHIFT_CONFIG}/0000_10_config-operator_01_networks-Default.crd.yaml`,
    ],
  },
];

/** KubeVirt ships no CRD files: see kubevirt.ts. */
export const KUBEVIRT: CrdModule = {
  module: 'kubevirt.io/kubevirt',
  version: 'v1.8.4',
  sum: 'h1:TXpT+U1SBIlsNI62qOev2aNkYVnGgyZ21gvmakIARrg=',
  files: ['pkg/virt-operator/resource/generate/components/validations_generated.go'],
};
