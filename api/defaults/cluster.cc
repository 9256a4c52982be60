// SPDX-License-Identifier: Apache-2.0
// Services, storage, roles and admission. Upstream: defaults.go of core, storage, networking,
// discovery, rbac, admissionregistration and apiextensions.
#include <algorithm>
#include <span>
#include <string>

#include "api/admissionregistration_v1/policy.h"
#include "api/admissionregistration_v1/webhook.h"
#include "api/apiextensions_v1.h"
#include "api/apiregistration_v1.h"
#include "api/core_v1/endpoints.h"
#include "api/core_v1/limit_range.h"
#include "api/core_v1/persistent_volume.h"
#include "api/core_v1/persistent_volume_claim.h"
#include "api/core_v1/service.h"
#include "api/defaults/kind_defaults.h"
#include "api/discovery_v1.h"
#include "api/networking_v1/ingress_class.h"
#include "api/networking_v1/network_policy.h"
#include "api/rbac_v1.h"
#include "api/scheduling_v1.h"
#include "api/scheduling_v1alpha3.h"
#include "api/scheduling_v1beta1.h"
#include "api/storage_v1/csi_driver.h"
#include "api/storage_v1/storage_class.h"
#include "base/text/ascii.h"

namespace dray::api::defaults {
namespace {

namespace admission = admissionregistration_v1;

constexpr std::string_view kTcp = "TCP";
constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";
constexpr int32_t kStickySeconds = 10800;
constexpr int32_t kWebhookSeconds = 10;
constexpr int32_t kHttpsPort = 443;

// --------------------------------------------------------------------------------------- services

void SetService(void* object, const Context& /*context*/) {
  core_v1::ServiceSpec& spec = static_cast<core_v1::Service*>(object)->spec;
  SetIfEmpty(spec.session_affinity, "None");
  if (spec.session_affinity == "None") spec.session_affinity_config.reset();
  if (spec.session_affinity == "ClientIP") {
    SetIfAbsent(spec.session_affinity_config);
    SetIfAbsent(spec.session_affinity_config->client_ip);
    SetIfAbsent(spec.session_affinity_config->client_ip->timeout_seconds, kStickySeconds);
  }
  SetIfEmpty(spec.type, "ClusterIP");
  for (core_v1::ServicePort& port : spec.ports) {
    SetIfEmpty(port.protocol, kTcp);
    if (port.target_port == IntOrString() || port.target_port == IntOrString(std::string())) {
      port.target_port = IntOrString(port.port);
    }
  }
  const bool is_balanced = spec.type == "LoadBalancer";
  if (is_balanced || spec.type == "NodePort" || !spec.external_ips.empty()) {
    SetIfEmpty(spec.external_traffic_policy, "Cluster");
  }
  if (is_balanced) SetIfAbsent(spec.allocate_load_balancer_node_ports, true);
  if (spec.type != "ExternalName") SetIfAbsent(spec.internal_traffic_policy, "Cluster");
}

void SetApiService(void* object, const Context& /*context*/) {
  auto& service = static_cast<apiregistration_v1::APIService*>(object)->spec.service;
  if (service.has_value()) SetIfAbsent(service->port, kHttpsPort);
}

void SetEndpoints(void* object, const Context& /*context*/) {
  for (auto& subset : static_cast<core_v1::Endpoints*>(object)->subsets) {
    for (auto& port : subset.ports) SetIfEmpty(port.protocol, kTcp);
  }
}

void SetEndpointSlice(void* object, const Context& /*context*/) {
  for (auto& port : static_cast<discovery_v1::EndpointSlice*>(object)->ports) {
    SetIfAbsent(port.name, "");
    SetIfAbsent(port.protocol, std::string(kTcp));
  }
}

template <class Rules>
void SetPorts(Rules& rules) {
  for (auto& rule : rules) {
    for (auto& port : rule.ports) SetIfAbsent(port.protocol, std::string(kTcp));
  }
}

void SetNetworkPolicy(void* object, const Context& /*context*/) {
  auto& spec = static_cast<networking_v1::NetworkPolicy*>(object)->spec;
  SetPorts(spec.ingress);
  SetPorts(spec.egress);
  if (!spec.policy_types.empty()) return;
  spec.policy_types.emplace_back("Ingress");
  if (!spec.egress.empty()) spec.policy_types.emplace_back("Egress");
}

void SetIngressClass(void* object, const Context& /*context*/) {
  auto& parameters = static_cast<networking_v1::IngressClass*>(object)->spec.parameters;
  if (parameters.has_value()) SetIfAbsent(parameters->scope, "Cluster");
}

// ---------------------------------------------------------------------------------------- storage

void SetVolume(void* object, const Context& /*context*/) {
  auto& volume = *static_cast<core_v1::PersistentVolume*>(object);
  SetIfEmpty(volume.status.phase, "Pending");
  SetIfEmpty(volume.spec.persistent_volume_reclaim_policy, "Retain");
  SetIfAbsent(volume.spec.volume_mode, "Filesystem");
  auto& host_path = volume.spec.persistent_volume_source.host_path;
  if (host_path.has_value()) SetIfAbsent(host_path->type, "");
}

void SetVolumeClaim(void* object, const Context& /*context*/) {
  auto& claim = *static_cast<core_v1::PersistentVolumeClaim*>(object);
  SetIfEmpty(claim.status.phase, "Pending");
  SetIfAbsent(claim.spec.volume_mode, "Filesystem");
}

void SetStorageClass(void* object, const Context& /*context*/) {
  auto& storage_class = *static_cast<storage_v1::StorageClass*>(object);
  SetIfAbsent(storage_class.reclaim_policy, "Delete");
  SetIfAbsent(storage_class.volume_binding_mode, "Immediate");
}

void SetDriver(void* object, const Context& /*context*/) {
  auto& spec = static_cast<storage_v1::CSIDriver*>(object)->spec;
  SetIfAbsent(spec.attach_required, true);
  SetIfAbsent(spec.pod_info_on_mount, false);
  SetIfAbsent(spec.storage_capacity, false);
  SetIfAbsent(spec.fs_group_policy, "ReadWriteOnceWithFSType");
  SetIfAbsent(spec.requires_republish, false);
  SetIfAbsent(spec.se_linux_mount, false);
  if (spec.volume_lifecycle_modes.empty()) spec.volume_lifecycle_modes.emplace_back("Persistent");
}

// Missing defaults of a limit range follow from its bounds.
void SetLimitRange(void* object, const Context& /*context*/) {
  for (auto& item : static_cast<core_v1::LimitRange*>(object)->spec.limits) {
    if (item.type != "Container") continue;
    for (const auto& [name, most] : item.max) item.default_.try_emplace(name, most);
    for (const auto& [name, limit] : item.default_) item.default_request.try_emplace(name, limit);
    for (const auto& [name, least] : item.min) item.default_request.try_emplace(name, least);
  }
}

void SetPriorityClass(void* object, const Context& /*context*/) {
  SetIfAbsent(static_cast<scheduling_v1::PriorityClass*>(object)->preemption_policy,
              "PreemptLowerPriority");
}

// ------------------------------------------------------------------------------------------ roles

template <class Binding>
void SetBinding(void* object, const Context& /*context*/) {
  auto& binding = *static_cast<Binding*>(object);
  SetIfEmpty(binding.role_ref.api_group, kRbacGroup);
  for (auto& subject : binding.subjects) {
    if (subject.kind == "User" || subject.kind == "Group") {
      SetIfEmpty(subject.api_group, kRbacGroup);
    }
  }
}

// -------------------------------------------------------------------------------------- admission

template <class Rules>
void SetRules(Rules& rules) {
  for (auto& rule : rules) {
    if constexpr (requires { rule.rule_with_operations; }) {
      SetIfAbsent(rule.rule_with_operations.rule.scope, "*");
    } else {
      SetIfAbsent(rule.rule.scope, "*");
    }
  }
}

template <class Configuration>
void SetWebhooks(void* object, const Context& /*context*/) {
  for (auto& webhook : static_cast<Configuration*>(object)->webhooks) {
    SetIfAbsent(webhook.failure_policy, "Fail");
    SetIfAbsent(webhook.match_policy, "Equivalent");
    SetIfAbsent(webhook.namespace_selector);
    SetIfAbsent(webhook.object_selector);
    SetIfAbsent(webhook.timeout_seconds, kWebhookSeconds);
    if constexpr (requires { webhook.reinvocation_policy; }) {
      SetIfAbsent(webhook.reinvocation_policy, "Never");
    }
    SetRules(webhook.rules);
    auto& service = webhook.client_config.service;
    if (service.has_value()) SetIfAbsent(service->port, kHttpsPort);
  }
}

void SetMatch(Maybe<admission::MatchResources>& match) {
  if (!match.has_value()) return;
  SetIfAbsent(match->match_policy, "Equivalent");
  SetIfAbsent(match->namespace_selector);
  SetIfAbsent(match->object_selector);
  SetRules(match->resource_rules);
  SetRules(match->exclude_resource_rules);
}

template <class Policy>
void SetPolicy(void* object, const Context& /*context*/) {
  auto& spec = static_cast<Policy*>(object)->spec;
  SetIfAbsent(spec.failure_policy, "Fail");
  SetMatch(spec.match_constraints);
}

template <class Binding>
void SetPolicyBinding(void* object, const Context& /*context*/) {
  SetMatch(static_cast<Binding*>(object)->spec.match_resources);
}

void SetDefinition(void* object, const Context& /*context*/) {
  auto& definition = *static_cast<apiextensions_v1::CustomResourceDefinition*>(object);
  auto& spec = definition.spec;
  if (spec.names.singular.empty()) spec.names.singular = LowerAscii(spec.names.kind);
  if (spec.names.list_kind.empty() && !spec.names.kind.empty()) {
    spec.names.list_kind = spec.names.kind + "List";
  }
  if (!spec.conversion.has_value()) spec.conversion.emplace().strategy = "None";
  auto& webhook = spec.conversion->webhook;
  if (webhook.has_value() && webhook->client_config.has_value()) {
    auto& service = webhook->client_config->service;
    if (service.has_value()) SetIfAbsent(service->port, kHttpsPort);
  }
  if (!definition.status.stored_versions.empty()) return;
  const auto storage = std::ranges::find(
      spec.versions, true, &apiextensions_v1::CustomResourceDefinitionVersion::storage);
  if (storage != spec.versions.end()) definition.status.stored_versions.push_back(storage->name);
}

// Pods of a group are disrupted one by one.
template <class T>
void SetPodGroup(void* object, const Context& /*context*/) {
  auto& mode = static_cast<T*>(object)->spec.disruption_mode;
  if (!mode.has_value()) mode.emplace().single.emplace();
}

constexpr KindDefaults kClusterDefaults[] = {
    DefaultsOf<admission::MutatingAdmissionPolicy>(SetPolicy<admission::MutatingAdmissionPolicy>),
    DefaultsOf<admission::MutatingAdmissionPolicyBinding>(
        SetPolicyBinding<admission::MutatingAdmissionPolicyBinding>),
    DefaultsOf<admission::MutatingWebhookConfiguration>(
        SetWebhooks<admission::MutatingWebhookConfiguration>),
    DefaultsOf<admission::ValidatingAdmissionPolicy>(
        SetPolicy<admission::ValidatingAdmissionPolicy>),
    DefaultsOf<admission::ValidatingAdmissionPolicyBinding>(
        SetPolicyBinding<admission::ValidatingAdmissionPolicyBinding>),
    DefaultsOf<admission::ValidatingWebhookConfiguration>(
        SetWebhooks<admission::ValidatingWebhookConfiguration>),
    DefaultsOf<apiextensions_v1::CustomResourceDefinition>(SetDefinition),
    DefaultsOf<apiregistration_v1::APIService>(SetApiService),
    DefaultsOf<core_v1::Endpoints>(SetEndpoints),
    DefaultsOf<core_v1::LimitRange>(SetLimitRange),
    DefaultsOf<core_v1::PersistentVolume>(SetVolume),
    DefaultsOf<core_v1::PersistentVolumeClaim>(SetVolumeClaim),
    DefaultsOf<core_v1::Service>(SetService),
    DefaultsOf<discovery_v1::EndpointSlice>(SetEndpointSlice),
    DefaultsOf<networking_v1::IngressClass>(SetIngressClass),
    DefaultsOf<networking_v1::NetworkPolicy>(SetNetworkPolicy),
    DefaultsOf<rbac_v1::ClusterRoleBinding>(SetBinding<rbac_v1::ClusterRoleBinding>),
    DefaultsOf<rbac_v1::RoleBinding>(SetBinding<rbac_v1::RoleBinding>),
    DefaultsOf<scheduling_v1::PriorityClass>(SetPriorityClass),
    DefaultsOf<scheduling_v1alpha3::PodGroup>(SetPodGroup<scheduling_v1alpha3::PodGroup>),
    DefaultsOf<scheduling_v1beta1::PodGroup>(SetPodGroup<scheduling_v1beta1::PodGroup>),
    DefaultsOf<storage_v1::CSIDriver>(SetDriver),
    DefaultsOf<storage_v1::StorageClass>(SetStorageClass),
};

}  // namespace

std::span<const KindDefaults> ClusterDefaults() {
  return kClusterDefaults;
}

}  // namespace dray::api::defaults
