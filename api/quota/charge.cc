// SPDX-License-Identifier: Apache-2.0
#include "api/quota/charge.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "api/claims/extended_claim.h"
#include "api/core_v1/persistent_volume_claim.h"
#include "api/core_v1/pod.h"
#include "api/core_v1/service.h"
#include "api/quota/pod_charge.h"
#include "api/resource_v1/claim.h"

namespace dray::api::quota {
namespace {

using resource_v1::ResourceClaim;

// The charge of a request for all devices of a class: the limit of one claim.
constexpr int64_t kDevicesOfAll = 32;
constexpr std::string_view kDevicesSuffix = ".deviceclass.resource.k8s.io/devices";
constexpr std::string_view kStorageClassInfix = ".storageclass.storage.k8s.io/";
constexpr std::string_view kQuotaRequests = "requests.";

// Kinds that quotas also call by their plural, beside pods, services and volume claims.
constexpr std::array<std::string_view, 4> kPlainCounts = {
    "configmaps", "resourcequotas", "replicationcontrollers", "secrets"};

bool IsPlainCount(const KindInfo& kind) {
  return kind.group.empty() && std::ranges::find(kPlainCounts, kind.plural) != kPlainCounts.end();
}

std::string CountName(const KindInfo& kind) {
  return "count/" + kind.qualified_resource();
}

bool IsCore(const KindInfo& kind, std::string_view plural) {
  return kind.group.empty() && kind.plural == plural;
}

// ------------------------------------------------------------------------------------------------
// Claims.

int64_t DevicesOf(std::string_view mode, int64_t count) {
  if (mode == "All") return kDevicesOfAll;
  return mode == "ExactCount" ? count : 0;
}

/// The most devices of each class that the request may get, by class.
Map<int64_t> DevicesOf(const resource_v1::DeviceRequest& request) {
  Map<int64_t> devices;
  if (request.exactly) {
    devices[request.exactly->device_class_name] =
        DevicesOf(request.exactly->allocation_mode, request.exactly->count);
    return devices;
  }
  for (const resource_v1::DeviceSubRequest& alternative : request.first_available) {
    int64_t& most = devices[alternative.device_class_name];
    most = std::max(most, DevicesOf(alternative.allocation_mode, alternative.count));
  }
  return devices;
}

/// Whether the pod of a claim for extended resources refers to another claim, or has an older one.
/// Then this claim is charged in full.
bool IsSecond(const Object& claim, const core_v1::Pod& pod, const Surroundings& surroundings) {
  const auto& shown = pod.status.extended_resource_claim_status;
  const meta_v1::ObjectMeta& meta = claim.metadata();
  if (shown) return shown->resource_claim_name != meta.name;
  if (!surroundings.claims_of_pod) return false;
  return std::ranges::any_of(surroundings.claims_of_pod(pod.metadata.uid), [&](const Object& one) {
    const meta_v1::ObjectMeta& other = one.metadata();
    if (other.creation_timestamp != meta.creation_timestamp) {
      return other.creation_timestamp < meta.creation_timestamp;
    }
    return other.name < meta.name;
  });
}

/// The amounts that the claim's pod is charged for already.
Amounts ChargeOfItsPod(const Object& claim, const Surroundings& surroundings) {
  const claims::ExtendedOwner owner = claims::PodOfExtendedClaim(claim.metadata());
  if (owner.uid.empty() || !surroundings.pod) return {};
  const Object pod = surroundings.pod(owner.name);
  if (pod.empty() || pod.metadata().uid != owner.uid) return {};
  if (IsSecond(claim, pod.As<core_v1::Pod>(), surroundings)) return {};
  return ChargeOfPod(pod.As<core_v1::Pod>(), surroundings.now);
}

void ChargeClaim(const Object& object, const Surroundings& surroundings, Amounts& charge) {
  Map<int64_t> devices;
  for (const auto& request : object.As<ResourceClaim>().spec.devices.requests) {
    for (const auto& [name, count] : DevicesOf(request)) devices[name] += count;
  }
  for (const auto& [name, count] : devices) {
    charge[fmt::format("{}{}", name, kDevicesSuffix)] = Quantity::FromInt(count);
  }
  if (!surroundings.resource_of_class) return;
  const Amounts of_pod = ChargeOfItsPod(object, surroundings);
  Amounts resources;  // of several classes with one resource the last counts, as upstream has it
  for (const auto& [name, count] : devices) {
    const Quantity amount = Quantity::FromInt(count);
    resources[fmt::format("{}{}{}", kQuotaRequests, claims::kClassResourcePrefix, name)] = amount;
    const std::string resource = surroundings.resource_of_class(name);
    if (!resource.empty()) resources[fmt::format("{}{}", kQuotaRequests, resource)] = amount;
  }
  for (auto& [name, amount] : resources) {
    const auto counted = of_pod.find(name);
    if (counted != of_pod.end()) amount -= counted->second;
    if (amount.Sign() > 0) charge[name] = amount;
  }
}

// ------------------------------------------------------------------------------------------------
// Volume claims and services.

void ChargeVolumeClaim(const core_v1::PersistentVolumeClaim& claim, Amounts& charge) {
  const std::string count = "persistentvolumeclaims";
  charge[count] = Quantity::FromInt(1);
  const auto annotated = claim.metadata.annotations.find("volume.beta.kubernetes.io/storage-class");
  const std::string& storage_class = annotated != claim.metadata.annotations.end()
                                         ? annotated->second
                                         : claim.spec.storage_class_name.value_or("");
  const std::string prefix =
      storage_class.empty() ? "" : fmt::format("{}{}", storage_class, kStorageClassInfix);
  if (!prefix.empty()) charge[prefix + count] = Quantity::FromInt(1);
  const auto request = claim.spec.resources.requests.find("storage");
  if (request == claim.spec.resources.requests.end()) return;
  Quantity amount = request->second;
  const auto allocated = claim.status.allocated_resources.find("storage");
  if (allocated != claim.status.allocated_resources.end()) {
    amount = std::max(amount, allocated->second);
  }
  charge["requests.storage"] = amount;
  if (!prefix.empty()) charge[prefix + "requests.storage"] = amount;
}

void ChargeService(const core_v1::Service& service, Amounts& charge) {
  charge["services"] = Quantity::FromInt(1);
  auto ports = static_cast<int64_t>(service.spec.ports.size());
  const bool is_balanced = service.spec.type == "LoadBalancer";
  charge["services.loadbalancers"] = Quantity::FromInt(is_balanced ? 1 : 0);
  if (is_balanced && !service.spec.allocate_load_balancer_node_ports.value_or(true)) {
    ports = std::ranges::count_if(service.spec.ports,
                                  [](const auto& port) { return port.node_port != 0; });
  }
  if (!is_balanced && service.spec.type != "NodePort") ports = 0;
  charge["services.nodeports"] = Quantity::FromInt(ports);
}

}  // namespace

bool IsCounted(const KindInfo& kind) {
  return kind.namespaced && kind.plural != "events" && !kind.create_only;
}

Amounts ChargeOf(const Object& object, const Surroundings& surroundings) {
  const KindInfo& kind = object.kind();
  Amounts charge;
  if (!IsCounted(kind)) return charge;
  charge[CountName(kind)] = Quantity::FromInt(1);
  if (const auto* pod = object.If<core_v1::Pod>()) {
    for (const auto& [name, amount] : ChargeOfPod(*pod, surroundings.now)) charge[name] = amount;
  } else if (object.If<ResourceClaim>() != nullptr) {
    ChargeClaim(object, surroundings, charge);
  } else if (const auto* claim = object.If<core_v1::PersistentVolumeClaim>()) {
    ChargeVolumeClaim(*claim, charge);
  } else if (const auto* service = object.If<core_v1::Service>()) {
    ChargeService(*service, charge);
  } else if (IsPlainCount(kind)) {
    charge[kind.plural] = Quantity::FromInt(1);
  }
  return charge;
}

bool IsAbout(const KindInfo& kind, std::string_view name) {
  if (!IsCounted(kind)) return false;
  if (name == CountName(kind)) return true;
  if (IsCore(kind, "pods")) return IsAboutPods(name);
  if (kind.group == "resource.k8s.io" && kind.plural == "resourceclaims") {
    return name.ends_with(kDevicesSuffix) || IsExtendedRequest(name);
  }
  if (IsCore(kind, "persistentvolumeclaims")) {
    return name == "persistentvolumeclaims" || name == "requests.storage" ||
           name.contains(kStorageClassInfix);
  }
  if (IsCore(kind, "services")) {
    return name == "services" || name == "services.loadbalancers" || name == "services.nodeports";
  }
  return name == kind.plural && IsPlainCount(kind);
}

}  // namespace dray::api::quota
