// SPDX-License-Identifier: Apache-2.0
// The roles of the controllers of a cluster, each for a service account in kube-system.
#include "server/access/bootstrap_policy.h"

namespace dray::server::access {

const char* const kBootstrapControllerRoles = R"(
system:controller:attachdetach-controller
  list,watch "" persistentvolumeclaims,persistentvolumes
  get,list,watch "" nodes
  patch,update "" nodes/status
  list,watch "" pods
  create,patch,update "",events.k8s.io events
  create,delete,get,list,watch storage.k8s.io volumeattachments
  get,list,watch storage.k8s.io csidrivers
  get,list,watch storage.k8s.io csinodes
system:controller:certificate-controller
  delete,get,list,watch certificates.k8s.io certificatesigningrequests
  update certificates.k8s.io certificatesigningrequests/approval,
    certificatesigningrequests/status
  approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client-kubelet
  sign certificates.k8s.io signers kubernetes.io/kube-apiserver-client,
    kubernetes.io/kube-apiserver-client-kubelet,kubernetes.io/kubelet-serving,
    kubernetes.io/legacy-unknown
  create authorization.k8s.io subjectaccessreviews
  create,patch,update "",events.k8s.io events
system:controller:clusterrole-aggregation-controller
  escalate,get,list,patch,update,watch rbac.authorization.k8s.io clusterroles
system:controller:cronjob-controller
  get,list,update,watch batch cronjobs
  create,delete,get,list,patch,update,watch batch jobs
  update batch cronjobs/status
  update batch cronjobs/finalizers
  delete,list,watch "" pods
  create,patch,update "",events.k8s.io events
system:controller:daemon-set-controller
  get,list,watch apps,extensions daemonsets
  update apps,extensions daemonsets/status
  update apps,extensions daemonsets/finalizers
  list,watch "" nodes
  create,delete,list,patch,watch "" pods
  create "" pods/binding
  create,delete,get,list,patch,update,watch apps controllerrevisions
  create,patch,update "",events.k8s.io events
system:controller:deployment-controller
  get,list,update,watch apps,extensions deployments
  update apps,extensions deployments/status
  update apps,extensions deployments/finalizers
  create,delete,get,list,patch,update,watch apps,extensions replicasets
  get,list,update,watch "" pods
  create,patch,update "",events.k8s.io events
system:controller:device-taint-eviction-controller
  delete,get,list,watch "" pods
  patch,update "" pods/status
  get,list,watch resource.k8s.io resourceclaims
  get,list,watch resource.k8s.io resourceslices
  get,list,watch resource.k8s.io deviceclasses
  create,patch,update "",events.k8s.io events
  patch,update resource.k8s.io devicetaintrules/status
  get,list,watch resource.k8s.io devicetaintrules
system:controller:disruption-controller
  get,list,watch apps,extensions deployments
  get,list,watch apps,extensions replicasets
  get,list,watch "" replicationcontrollers
  get,list,watch policy poddisruptionbudgets
  get,list,watch apps statefulsets
  update policy poddisruptionbudgets/status
  patch,update "" pods/status
  get * */scale
  create,patch,update "",events.k8s.io events
system:controller:endpoint-controller
  get,list,watch "" pods,services
  create,delete,get,list,update,watch "" endpoints
  create "" endpoints/restricted
  create,patch,update "",events.k8s.io events
system:controller:endpointslice-controller
  get,list,watch "" nodes,pods,services
  update "" services/finalizers
  create,delete,get,list,update,watch discovery.k8s.io endpointslices
  create,patch,update "",events.k8s.io events
system:controller:endpointslicemirroring-controller
  get,list,watch "" endpoints,services
  update "" services/finalizers
  update "" endpoints/finalizers
  create,delete,get,list,update,watch discovery.k8s.io endpointslices
  create,patch,update "",events.k8s.io events
system:controller:ephemeral-volume-controller
  get,list,watch "" pods
  update "" pods/finalizers
  create,get,list,watch "" persistentvolumeclaims
  create,patch,update "",events.k8s.io events
system:controller:expand-controller
  get,list,patch,update,watch "" persistentvolumes
  patch,update "" persistentvolumeclaims/status
  get,list,watch "" persistentvolumeclaims
  create,patch,update "",events.k8s.io events
system:controller:generic-garbage-collector
  delete,get,list,patch,update,watch * *
  create,patch,update "",events.k8s.io events
system:controller:horizontal-pod-autoscaler
  get,list,watch autoscaling horizontalpodautoscalers
  update autoscaling horizontalpodautoscalers/status
  get,update * */scale
  list,watch "" pods
  list,watch metrics.k8s.io pods
  get,list,watch custom.metrics.k8s.io *
  get,list,watch external.metrics.k8s.io *
  create,patch,update "",events.k8s.io events
system:controller:job-controller
  get,list,patch,update,watch batch jobs
  update batch jobs/status
  update batch jobs/finalizers
  create,delete,list,patch,watch "" pods
  create,patch,update "",events.k8s.io events
system:controller:kube-apiserver-serving-clustertrustbundle-publisher
  attest certificates.k8s.io signers kubernetes.io/kube-apiserver-serving
  create,delete,list,update,watch certificates.k8s.io clustertrustbundles
  create,patch,update "",events.k8s.io events
system:controller:legacy-service-account-token-cleaner
  get "" configmaps kube-apiserver-legacy-service-account-token-tracking
  delete,patch "" secrets
system:controller:namespace-controller
  delete,get,list,watch "" namespaces
  update "" namespaces/finalize,namespaces/status
  delete,deletecollection,get,list,watch * *
system:controller:node-controller
  delete,get,list,patch,update,watch "" nodes
  patch,update "" nodes/status
  patch,update "" pods/status
  delete,get,list,watch "" pods
  get,list,watch coordination.k8s.io leases
  create,patch,update "",events.k8s.io events
system:controller:persistent-volume-binder
  create,delete,get,list,update,watch "" persistentvolumes
  update "" persistentvolumes/status
  get,list,update,watch "" persistentvolumeclaims
  update "" persistentvolumeclaims/status
  create,delete,get,list,watch "" pods
  get,list,watch storage.k8s.io storageclasses
  list,watch "" nodes
  create,patch,update "",events.k8s.io events
  watch "" events
system:controller:pod-garbage-collector
  delete,list,watch "" pods
  get,list,watch "" nodes
  patch "" pods/status
system:controller:podcertificaterequestcleaner
  delete,get,list,watch certificates.k8s.io podcertificaterequests
system:controller:pv-protection-controller
  get,list,update,watch "" persistentvolumes
  create,patch,update "",events.k8s.io events
system:controller:pvc-protection-controller
  get,list,update,watch "" persistentvolumeclaims
  update "" persistentvolumeclaims/status
  get,list,watch "" pods
  create,patch,update "",events.k8s.io events
system:controller:replicaset-controller
  get,list,update,watch apps,extensions replicasets
  update apps,extensions replicasets/status
  update apps,extensions replicasets/finalizers
  create,delete,list,patch,watch "" pods
  create,patch,update "",events.k8s.io events
system:controller:replication-controller
  get,list,update,watch "" replicationcontrollers
  update "" replicationcontrollers/status
  update "" replicationcontrollers/finalizers
  create,delete,list,patch,watch "" pods
  create,patch,update "",events.k8s.io events
system:controller:resource-claim-controller
  get,list,watch "" pods
  update "" pods/finalizers
  create,delete,get,list,watch resource.k8s.io resourceclaims
  patch,update resource.k8s.io resourceclaims,resourceclaims/status
  patch,update "" pods/status
  create,patch,update "",events.k8s.io events
  patch,update resource.k8s.io resourceclaims/binding
system:controller:resourcepoolstatusrequest-controller gate=DRAResourcePoolStatus
  delete,get,list,watch resource.k8s.io resourcepoolstatusrequests
  patch,update resource.k8s.io resourcepoolstatusrequests/status
  get,list,watch resource.k8s.io resourceslices
  get,list,watch resource.k8s.io resourceclaims
  get,list,watch resource.k8s.io devicetaintrules
system:controller:resourcequota-controller
  list,watch * *
  update "" resourcequotas/status
  create,patch,update "",events.k8s.io events
system:controller:root-ca-cert-publisher
  create,update "" configmaps
  create,patch,update "",events.k8s.io events
system:controller:route-controller
  list,watch "" nodes
  patch "" nodes/status
  create,patch,update "",events.k8s.io events
system:controller:selinux-warning-controller
  create,patch,update "",events.k8s.io events
  get,list,watch "" persistentvolumes
  get,list,watch "" persistentvolumeclaims
  get,list,watch "" pods
  get,list,watch storage.k8s.io csidrivers
system:controller:service-account-controller
  create "" serviceaccounts
  create,patch,update "",events.k8s.io events
system:controller:service-cidrs-controller
  get,list,patch,update,watch networking.k8s.io servicecidrs
  patch,update networking.k8s.io servicecidrs/finalizers
  patch,update networking.k8s.io servicecidrs/status
  get,list,watch networking.k8s.io ipaddresses
  create,patch,update "",events.k8s.io events
system:controller:service-controller
  get,list,watch "" services
  patch,update "" services/status
  list,watch "" nodes
  create,patch,update "",events.k8s.io events
system:controller:statefulset-controller
  list,watch "" pods
  get,list,watch apps statefulsets
  update apps statefulsets/status
  update apps statefulsets/finalizers
  create,delete,get,patch,update "" pods
  create,delete,get,list,patch,update,watch apps controllerrevisions
  create,get,list,watch "" persistentvolumeclaims
  delete,update "" persistentvolumeclaims
  update "" pods/finalizers
  create,patch,update "",events.k8s.io events
system:controller:storage-version-migrator-controller
  list,patch * *
  get apiextensions.k8s.io customresourcedefinitions
  patch apiextensions.k8s.io customresourcedefinitions/status
  update storagemigration.k8s.io storageversionmigrations/status
system:controller:ttl-after-finished-controller
  delete,get,list,watch batch jobs
  create,patch,update "",events.k8s.io events
system:controller:ttl-controller
  list,patch,update,watch "" nodes
  create,patch,update "",events.k8s.io events
system:controller:validatingadmissionpolicy-status-controller
  get,list,watch admissionregistration.k8s.io validatingadmissionpolicies
  get,patch,update admissionregistration.k8s.io validatingadmissionpolicies/status
  create,patch,update "",events.k8s.io events
system:controller:volumeattributesclass-protection-controller
  get,list,watch "" persistentvolumeclaims
  get,list,watch "" persistentvolumes
  get,list,update,watch storage.k8s.io volumeattributesclasses
  create,patch,update "",events.k8s.io events
)";

}  // namespace dray::server::access
