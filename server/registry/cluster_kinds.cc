// SPDX-License-Identifier: Apache-2.0
// The strategies' functions for services, storage, roles, settings and admission.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "api/admissionregistration_v1/policy.h"
#include "api/admissionregistration_v1/webhook.h"
#include "api/apiregistration_v1.h"
#include "api/certificates_v1/signing_request.h"
#include "api/coordination_v1.h"
#include "api/core_v1/config_map.h"
#include "api/core_v1/limit_range.h"
#include "api/core_v1/persistent_volume.h"
#include "api/core_v1/persistent_volume_claim.h"
#include "api/core_v1/resource_quota.h"
#include "api/core_v1/secret.h"
#include "api/core_v1/service.h"
#include "api/rbac_v1.h"
#include "api/scheduling_v1.h"
#include "api/validation/cluster/lease.h"
#include "api/validation/cluster/quota_rules.h"
#include "api/validation/cluster/settings.h"
#include "server/policies/mutating_rules.h"
#include "server/policies/policy_rules.h"
#include "server/registry/api_service_rules.h"
#include "server/registry/more_strategies.h"
#include "server/registry/rules_of.h"
#include "server/webhooks/configuration_rules.h"
#include "server/webhooks/service_numbers.h"

namespace dray::server::registry {
namespace {

namespace core_v1 = api::core_v1;
namespace rbac_v1 = api::rbac_v1;
namespace validation = api::validation;
using api::apiregistration_v1::APIService;
using api::certificates_v1::CertificateSigningRequest;
using api::coordination_v1::Lease;
using api::scheduling_v1::PriorityClass;

// --------------------------------------------------------------------------------------- services

constexpr int32_t kNodePortMin = 30000;
constexpr uint64_t kNodePorts = 2768;

// Gives a service addresses and ports, derived from its uid.
void PlaceService(core_v1::Service& service) {
  core_v1::ServiceSpec& spec = service.spec;
  if (spec.type == "ExternalName") return;
  if (spec.cluster_ip.empty()) {
    spec.cluster_ip = spec.cluster_ips.empty() ? webhooks::MadeClusterIp(service.metadata.uid)
                                               : spec.cluster_ips.front();
  }
  if (spec.cluster_ips.empty()) spec.cluster_ips.push_back(spec.cluster_ip);
  if (spec.ip_families.empty()) {
    spec.ip_families.emplace_back(spec.cluster_ip.contains(':') ? "IPv6" : "IPv4");
  }
  // The writer of the endpoints of such a service may have addresses of both families.
  const bool is_free = spec.cluster_ip == "None" && spec.selector.empty();
  if (!spec.ip_family_policy.has_value()) {
    spec.ip_family_policy = is_free ? "RequireDualStack" : "SingleStack";
  }
  if (is_free && spec.ip_families.size() == 1 && spec.ip_family_policy != "SingleStack") {
    spec.ip_families.emplace_back(spec.ip_families.front() == "IPv4" ? "IPv6" : "IPv4");
  }
  const bool has_ports =
      spec.type == "NodePort" ||
      (spec.type == "LoadBalancer" && spec.allocate_load_balancer_node_ports.value_or(true));
  if (!has_ports) return;
  uint64_t next = webhooks::NumberOf(service.metadata.uid) % kNodePorts;
  for (core_v1::ServicePort& port : spec.ports) {
    if (port.node_port == 0) port.node_port = kNodePortMin + static_cast<int32_t>(next);
    next = (next + 1) % kNodePorts;
  }
}

void PrepareNewService(api::Object& object) {
  PlaceService(object.Mutable<core_v1::Service>());
}

// Keeps the addresses and ports that the server chose, where the client leaves them out.
void PrepareService(api::Object& object,
                    const api::Object& old,
                    WallTime /*now*/,
                    const api::Profile& /*profile*/) {
  auto& service = object.Mutable<core_v1::Service>();
  const core_v1::ServiceSpec& before = old.As<core_v1::Service>().spec;
  const bool had_address = service.spec.type != "ExternalName" && before.type != "ExternalName";
  if (had_address && service.spec.cluster_ip.empty()) {
    service.spec.cluster_ip = before.cluster_ip;
    service.spec.cluster_ips = before.cluster_ips;
  }
  if (had_address && service.spec.ip_families.empty()) {
    service.spec.ip_families = before.ip_families;
  }
  if (had_address && !service.spec.ip_family_policy.has_value()) {
    service.spec.ip_family_policy = before.ip_family_policy;
  }
  for (core_v1::ServicePort& port : service.spec.ports) {
    const auto same = std::ranges::find_if(before.ports, [&](const core_v1::ServicePort& one) {
      return one.port == port.port && one.protocol == port.protocol;
    });
    if (port.node_port == 0 && service.spec.type == before.type && same != before.ports.end()) {
      port.node_port = same->node_port;
    }
  }
  PlaceService(service);
}

std::vector<ErrorCause> CheckService(const core_v1::Service& service, const core_v1::Service* old) {
  validation::FieldErrors errors;
  const validation::Path ports("spec.ports");
  const core_v1::ServiceSpec& spec = service.spec;
  if (spec.ports.empty() && spec.cluster_ip != "None" && spec.type != "ExternalName") {
    errors.Required(ports);
  }
  for (size_t i = 0; i < spec.ports.size() && !errors.is_full(); ++i) {
    const validation::Path at = ports.Index(i);
    if (spec.ports.size() > 1 && spec.ports[i].name.empty()) errors.Required(at.Child("name"));
    if (spec.ports[i].port >= 1 && spec.ports[i].port <= 65535) continue;
    errors.Invalid(at.Child("port"),
                   fmt::format("{}", spec.ports[i].port),
                   "must be between 1 and 65535, inclusive");
  }
  const bool keeps_address = old != nullptr && spec.type != "ExternalName" &&
                             old->spec.type != "ExternalName" && !old->spec.cluster_ip.empty();
  if (keeps_address && spec.cluster_ip != old->spec.cluster_ip) {
    const validation::Path address("spec.clusterIPs");
    errors.Invalid(address.Index(0),
                   validation::Shown(api::TypeOf<api::List<std::string>>(), &spec.cluster_ips),
                   "may not change once set");
  }
  return std::move(errors).Take();
}

constexpr Strategy kService = {.type = &api::TypeOf<core_v1::Service>,
                               .status_metadata = StatusMetadata::kFree,
                               .prepare_create = PrepareNewService,
                               .prepare_update = PrepareService,
                               .validate_create = Rule<core_v1::Service, CheckService>,
                               .validate_update = Rule<core_v1::Service, CheckService>};

// ---------------------------------------------------------------------------------------- storage

template <class T>
void BeginPending(api::Object& object) {
  object.Mutable<T>().status.phase = "Pending";
}

template <class T>
constexpr Strategy kPending = {.type = &api::TypeOf<T>,
                               .status_metadata = StatusMetadata::kFree,
                               .prepare_create = BeginPending<T>};

// --------------------------------------------------------------------- settings, roles, extensions

template <class T, auto kRule>
constexpr Strategy kRuled = {.type = &api::TypeOf<T>,
                             .status_metadata = StatusMetadata::kFree,
                             .validate_create = Rule<T, kRule>,
                             .validate_update = Rule<T, kRule>};

constexpr Strategy kQuota = {
    .type = &api::TypeOf<core_v1::ResourceQuota>,
    .status_metadata = StatusMetadata::kFree,
    .validate_create = Rule<core_v1::ResourceQuota, validation::ValidateResourceQuota>,
    .validate_update = Rule<core_v1::ResourceQuota, validation::ValidateResourceQuota>,
    .validate_status = Rule<core_v1::ResourceQuota, validation::ValidateResourceQuotaStatus>};

// Drops an empty list of rules: upstream's storage has no empty lists, and shows a role without
// rules as one without the member.
template <class T>
void PrepareNewRole(api::Object& object) {
  auto& rules = object.Mutable<T>().rules;
  if (rules.empty()) rules = {};
}

template <class T>
void PrepareRole(api::Object& object,
                 const api::Object& /*old*/,
                 WallTime /*now*/,
                 const api::Profile& /*profile*/) {
  PrepareNewRole<T>(object);
}

template <class T, auto kRule>
constexpr Strategy kRole = {.type = &api::TypeOf<T>,
                            .status_metadata = StatusMetadata::kFree,
                            .prepare_create = PrepareNewRole<T>,
                            .prepare_update = PrepareRole<T>,
                            .validate_create = Rule<T, kRule>,
                            .validate_update = Rule<T, kRule>};

void NoteRequester(api::Object& object, const Requester& requester) {
  auto& spec = object.Mutable<CertificateSigningRequest>().spec;
  spec.username = requester.name;
  spec.uid = requester.uid;
  spec.groups.assign(requester.groups.begin(), requester.groups.end());
  spec.extra.clear();
}

// The spec never changes; approvers and signers write through separate subresources.
void PrepareRequest(api::Object& object,
                    const api::Object& old,
                    WallTime /*now*/,
                    const api::Profile& /*profile*/) {
  object.Mutable<CertificateSigningRequest>().spec = old.As<CertificateSigningRequest>().spec;
}

void PrepareSigned(api::Object& object, const api::Object& old, const api::Profile& /*profile*/) {
  object.Mutable<CertificateSigningRequest>().status.conditions =
      old.As<CertificateSigningRequest>().status.conditions;
}

void PrepareDecision(api::Object& object, const api::Object& old, Subresource /*part*/) {
  auto& next = object.Mutable<CertificateSigningRequest>();
  const auto& before = old.As<CertificateSigningRequest>();
  next.spec = before.spec;
  next.status.certificate = before.status.certificate;
}

constexpr Strategy kSigningRequest = {.type = &api::TypeOf<CertificateSigningRequest>,
                                      .status_metadata = StatusMetadata::kFree,
                                      .note_requester = NoteRequester,
                                      .prepare_update = PrepareRequest,
                                      .prepare_status = PrepareSigned,
                                      .prepare_part = PrepareDecision};

// What this server answers for itself is available at once; about others verbs/remote_apis.h finds
// out.
void PrepareNewApi(api::Object& object) {
  auto& api_service = object.Mutable<APIService>();
  api_service.status = {};
  if (api_service.spec.service.has_value()) return;
  auto& available = api_service.status.conditions.emplace_back();
  available.type = "Available";
  available.status = "True";
  available.last_transition_time = api_service.metadata.creation_timestamp;
  available.reason = kLocalApi;
  available.message = kLocalApiMessage;
}

constexpr Strategy kApi = {.type = &api::TypeOf<APIService>,
                           .status_metadata = StatusMetadata::kFree,
                           .prepare_create = PrepareNewApi,
                           .check_name = CheckApiServiceName,
                           .validate_create = ValidateApiService,
                           .validate_update = ValidateApiServiceChange,
                           .validate_status = ValidateApiServiceStatus};

using api::admissionregistration_v1::ValidatingAdmissionPolicy;
using api::admissionregistration_v1::ValidatingAdmissionPolicyBinding;

constexpr Strategy kPolicy = {
    .type = &api::TypeOf<ValidatingAdmissionPolicy>,
    .validate_create = Rule<ValidatingAdmissionPolicy, policies::ValidatePolicy>,
    .validate_update = Rule<ValidatingAdmissionPolicy, policies::ValidatePolicy>,
    .validate_status = Rule<ValidatingAdmissionPolicy, policies::ValidatePolicyStatus>};

constexpr Strategy kPolicyBinding =
    kAlwaysAsNew<ValidatingAdmissionPolicyBinding, policies::ValidatePolicyBinding>;

using api::admissionregistration_v1::MutatingAdmissionPolicy;
using api::admissionregistration_v1::MutatingAdmissionPolicyBinding;

constexpr Strategy kMutatingPolicy = {
    .type = &api::TypeOf<MutatingAdmissionPolicy>,
    .validate_create = Rule<MutatingAdmissionPolicy, policies::ValidateMutatingPolicy>,
    .validate_update = Rule<MutatingAdmissionPolicy, policies::ValidateMutatingPolicy>};

constexpr Strategy kMutatingPolicyBinding =
    kAlwaysAsNew<MutatingAdmissionPolicyBinding, policies::ValidateMutatingPolicyBinding>;

using api::admissionregistration_v1::MutatingWebhookConfiguration;
using api::admissionregistration_v1::ValidatingWebhookConfiguration;

constexpr Strategy kMutatingWebhooks = {
    .type = &api::TypeOf<MutatingWebhookConfiguration>,
    .validate_create = Rule<MutatingWebhookConfiguration, webhooks::ValidateMutating>,
    .validate_update = Rule<MutatingWebhookConfiguration, webhooks::ValidateMutating>};

constexpr Strategy kValidatingWebhooks = {
    .type = &api::TypeOf<ValidatingWebhookConfiguration>,
    .validate_create = Rule<ValidatingWebhookConfiguration, webhooks::ValidateValidating>,
    .validate_update = Rule<ValidatingWebhookConfiguration, webhooks::ValidateValidating>};

constexpr Strategy kClusterStrategies[] = {
    kMutatingPolicy,
    kMutatingPolicyBinding,
    kMutatingWebhooks,
    kValidatingWebhooks,
    kPolicy,
    kPolicyBinding,
    kService,
    kSigningRequest,
    kAlwaysAsNew<Lease, validation::ValidateLease>,
    kApi,
    kPending<core_v1::PersistentVolume>,
    kPending<core_v1::PersistentVolumeClaim>,
    kRuled<core_v1::ConfigMap, validation::ValidateConfigMap>,
    kQuota,
    kRuled<core_v1::LimitRange, validation::ValidateLimitRange>,
    kRuled<core_v1::Secret, validation::ValidateSecret>,
    kRuled<PriorityClass, validation::ValidatePriorityClass>,
    kRole<rbac_v1::Role, validation::ValidateRole>,
    kRuled<rbac_v1::RoleBinding, validation::ValidateRoleBinding>,
    kRole<rbac_v1::ClusterRole, validation::ValidateClusterRole>,
    kRuled<rbac_v1::ClusterRoleBinding, validation::ValidateClusterRoleBinding>,
};

}  // namespace

std::span<const Strategy> ClusterStrategies() {
  return kClusterStrategies;
}

}  // namespace dray::server::registry
