// SPDX-License-Identifier: Apache-2.0
// The roles that every cluster has, but for those of its controllers.
#include "server/access/bootstrap_policy.h"

namespace dray::server::access {

const char* const kBootstrapRoles = R"(
admin from=admin
cluster-admin
  * * *
  path * *
edit to=admin from=edit
system:aggregate-to-admin to=admin
  create authorization.k8s.io localsubjectaccessreviews
  create,delete,deletecollection,get,list,patch,update,watch rbac.authorization.k8s.io 
    rolebindings,roles
system:aggregate-to-edit to=edit
  get,list,watch "" pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy
  impersonate "" serviceaccounts
  create,delete,deletecollection,patch,update "" pods,pods/attach,pods/exec,pods/portforward,
    pods/proxy
  create "" pods/eviction
  create,delete,deletecollection,patch,update "" configmaps,persistentvolumeclaims,
    replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,
    services/proxy
  create "" serviceaccounts/token
  create,delete,deletecollection,patch,update "",events.k8s.io events
  create,delete,deletecollection,patch,update apps daemonsets,deployments,deployments/rollback,
    deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale
  create,delete,deletecollection,patch,update autoscaling horizontalpodautoscalers
  create,delete,deletecollection,patch,update batch cronjobs,jobs
  create,delete,deletecollection,patch,update extensions daemonsets,deployments,
    deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,
    replicasets/scale,replicationcontrollers/scale
  create,delete,deletecollection,patch,update policy poddisruptionbudgets
  create,delete,deletecollection,patch,update networking.k8s.io ingresses,networkpolicies
  create,delete,deletecollection,get,list,patch,update,watch coordination.k8s.io leases
  create,delete,deletecollection,patch,update resource.k8s.io resourceclaims,
    resourceclaimtemplates
system:aggregate-to-view to=view
  get,list,watch "" configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,
    pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,
    services/status
  get,list,watch "" bindings,limitranges,namespaces/status,pods/log,pods/status,
    replicationcontrollers/status,resourcequotas,resourcequotas/status
  get,list,watch "" namespaces
  get,list,watch "",events.k8s.io events
  get,list,watch discovery.k8s.io endpointslices
  get,list,watch apps controllerrevisions,daemonsets,daemonsets/status,deployments,
    deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,
    statefulsets,statefulsets/scale,statefulsets/status
  get,list,watch autoscaling horizontalpodautoscalers,horizontalpodautoscalers/status
  get,list,watch batch cronjobs,cronjobs/status,jobs,jobs/status
  get,list,watch extensions daemonsets,daemonsets/status,deployments,deployments/scale,
    deployments/status,ingresses,ingresses/status,networkpolicies,replicasets,replicasets/scale,
    replicasets/status,replicationcontrollers/scale
  get,list,watch policy poddisruptionbudgets,poddisruptionbudgets/status
  get,list,watch networking.k8s.io ingresses,ingresses/status,networkpolicies
  get,list,watch resource.k8s.io resourceclaims,resourceclaims/status,resourceclaimtemplates
system:auth-delegator
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io subjectaccessreviews
system:basic-user
  create authorization.k8s.io selfsubjectaccessreviews,selfsubjectrulesreviews
  create authentication.k8s.io selfsubjectreviews
system:certificates.k8s.io:certificatesigningrequests:nodeclient
  create certificates.k8s.io certificatesigningrequests/nodeclient
system:certificates.k8s.io:certificatesigningrequests:selfnodeclient
  create certificates.k8s.io certificatesigningrequests/selfnodeclient
system:certificates.k8s.io:kube-apiserver-client-approver
  approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client
system:certificates.k8s.io:kube-apiserver-client-kubelet-approver
  approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client-kubelet
system:certificates.k8s.io:kubelet-serving-approver
  approve certificates.k8s.io signers kubernetes.io/kubelet-serving
system:certificates.k8s.io:legacy-unknown-approver
  approve certificates.k8s.io signers kubernetes.io/legacy-unknown
system:cluster-trust-bundle-discovery
  get,list,watch certificates.k8s.io clustertrustbundles
system:discovery
  path get /api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,
    /version/
system:heapster
  get,list,watch "" events,namespaces,nodes,pods
  get,list,watch extensions deployments
system:kube-aggregator
  get,list,watch "" endpoints,services
system:kube-controller-manager
  create,patch,update "",events.k8s.io events
  create coordination.k8s.io leases
  get,update coordination.k8s.io leases kube-controller-manager
  create "" secrets,serviceaccounts
  delete "" secrets
  get "" configmaps,namespaces,secrets,serviceaccounts
  update "" secrets,serviceaccounts
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io subjectaccessreviews
  list,watch * *
  create "" serviceaccounts/token
system:kube-dns
  list,watch "" endpoints,services
system:kube-scheduler
  create,patch,update "",events.k8s.io events
  create coordination.k8s.io leases
  get,list,update,watch coordination.k8s.io leases kube-scheduler
  create,delete,deletecollection,get,list,patch,update,watch coordination.k8s.io leasecandidates
  get,list,watch "" nodes
  delete,get,list,watch "" pods
  create "" bindings,pods/binding
  patch,update "" pods/status
  get,list,watch "" replicationcontrollers,services
  get,list,watch apps,extensions replicasets
  get,list,watch apps statefulsets
  get,list,watch policy poddisruptionbudgets
  get,list,watch "" persistentvolumeclaims,persistentvolumes
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io subjectaccessreviews
  get,list,watch storage.k8s.io csinodes
  get,list,watch storage.k8s.io volumeattachments
  get,list,watch "" namespaces
  get,list,watch storage.k8s.io csidrivers
  get,list,watch storage.k8s.io csistoragecapacities
  get,list,watch resource.k8s.io deviceclasses
  get,list,patch,update,watch resource.k8s.io resourceclaims
  get,list,patch,update,watch resource.k8s.io resourceclaims/status
  update "" pods/finalizers
  get,list,watch resource.k8s.io resourceslices
  create,delete resource.k8s.io resourceclaims
  get,list,watch resource.k8s.io devicetaintrules
  patch,update resource.k8s.io resourceclaims/binding
system:kubelet-api-admin
  get,list,watch "" nodes
  proxy "" nodes
  * "" nodes/log,nodes/metrics,nodes/proxy,nodes/stats
  * "" nodes/configz,nodes/healthz,nodes/pods
system:monitoring
  path get /flagz,/healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*,
    /statusz
  get "" nodes/metrics
system:node
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io localsubjectaccessreviews,subjectaccessreviews
  get,list,watch "" services
  create,get,list,watch "" nodes
  patch,update "" nodes/status
  patch,update "" nodes
  create,patch,update "",events.k8s.io events
  get,list,watch "" pods
  create,delete "" pods
  patch,update "" pods/status
  create "" pods/eviction
  get,list,watch "" configmaps,secrets
  get "" persistentvolumeclaims,persistentvolumes
  get "" endpoints
  create,get,list,watch certificates.k8s.io certificatesigningrequests
  create,delete,get,patch,update coordination.k8s.io leases
  get storage.k8s.io volumeattachments
  create "" serviceaccounts/token
  get,patch,update "" persistentvolumeclaims/status
  get,list,watch storage.k8s.io csidrivers
  create,delete,get,patch,update storage.k8s.io csinodes
  get,list,watch node.k8s.io runtimeclasses
  get resource.k8s.io resourceclaims
  deletecollection resource.k8s.io resourceslices
  get,list,watch certificates.k8s.io clustertrustbundles
  get "" serviceaccounts
  create,get,list,watch certificates.k8s.io podcertificaterequests
system:node-bootstrapper
  create,get,list,watch certificates.k8s.io certificatesigningrequests
system:node-problem-detector
  get "" nodes
  patch "" nodes/status
  create,patch,update "",events.k8s.io events
system:node-proxier
  list,watch "" endpoints,services
  get,list,watch "" nodes
  create,patch,update "",events.k8s.io events
  list,watch networking.k8s.io servicecidrs
  list,watch discovery.k8s.io endpointslices
system:persistent-volume-provisioner
  create,delete,get,list,watch "" persistentvolumes
  get,list,update,watch "" persistentvolumeclaims
  get,list,watch storage.k8s.io storageclasses
  watch "" events
  create,patch,update "",events.k8s.io events
system:public-info-viewer
  path get /healthz,/livez,/readyz,/version,/version/
system:service-account-issuer-discovery
  path get /.well-known/openid-configuration,/.well-known/openid-configuration/,/openid/v1/jwks,
    /openid/v1/jwks/
system:volume-scheduler
  get,list,patch,update,watch "" persistentvolumes
  get,list,watch storage.k8s.io storageclasses
  get,list,patch,update,watch "" persistentvolumeclaims
view to=edit from=view
)";

const char* const kBootstrapLocalRoles = R"(
kube-public/system:controller:bootstrap-signer
  get,list,watch "" configmaps
  update "" configmaps cluster-info
  create,patch,update "",events.k8s.io events
kube-system/extension-apiserver-authentication-reader
  get,list,watch "" configmaps extension-apiserver-authentication
kube-system/system::leader-locking-kube-controller-manager
  create,get,list,update,watch coordination.k8s.io leases
  create,get,list,update,watch coordination.k8s.io leasecandidates
kube-system/system::leader-locking-kube-scheduler
  create,get,list,update,watch coordination.k8s.io leases
  create,get,list,update,watch coordination.k8s.io leasecandidates
kube-system/system:controller:bootstrap-signer
  get,list,watch "" secrets
kube-system/system:controller:cloud-provider
  create,get,list,watch "" configmaps
kube-system/system:controller:token-cleaner
  delete,get,list,watch "" secrets
  create,patch,update "",events.k8s.io events
)";

}  // namespace dray::server::access
