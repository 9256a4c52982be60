// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/node_limits.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/coordination_v1.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/slice.h"
#include "api/text/go_quote.h"
#include "server/access/node_rules.h"
#include "server/errors/errors.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "store/record.h"

namespace dray::server::verbs {
namespace {

namespace core_v1 = api::core_v1;
using api::resource_v1::ResourceSlice;
using core_v1::Pod;

// -------------------------------------------------------------------------------------- relations

const api::KindInfo& PodKind() {
  return api::Reflected<Pod>::kKind;
}

template <class T>
std::optional<T> Find(const store::Snapshot& snapshot,
                      std::string_view namespace_,
                      std::string_view name) {
  const api::KindInfo& kind = api::Reflected<T>::kKind;
  const store::Record* record = snapshot.Find(storage::ObjectKey(kind, namespace_, name));
  if (record == nullptr) return std::nullopt;
  const auto item = storage::ItemOf(storage::View::OfStorage(kind), *record);
  if (!item.has_value() || !item->has_value()) return std::nullopt;
  return (*item)->object.template As<T>();
}

bool NeedsClaim(const Pod& pod, std::string_view name) {
  const auto& claims = pod.spec.resource_claims;
  const auto& made = pod.status.resource_claim_statuses;
  return std::ranges::any_of(
             claims, [&](const auto& claim) { return claim.resource_claim_name == name; }) ||
         std::ranges::any_of(made,
                             [&](const auto& one) { return one.resource_claim_name == name; });
}

bool NeedsVolumeClaim(const Pod& pod, std::string_view name) {
  return std::ranges::any_of(pod.spec.volumes, [&](const core_v1::Volume& volume) {
    const auto& claim = volume.volume_source.persistent_volume_claim;
    return claim.has_value() && claim->claim_name == name;
  });
}

/// Whether an environment of a container names it.
template <class OfAll, class OfOne>
bool IsInEnvironment(const Pod& pod, OfAll of_all, OfOne of_one) {
  for (const auto* containers : {&pod.spec.init_containers, &pod.spec.containers}) {
    for (const core_v1::Container& container : *containers) {
      if (std::ranges::any_of(container.env_from, of_all)) return true;
      const bool is_one = std::ranges::any_of(container.env, [&](const auto& variable) {
        return variable.value_from.has_value() && of_one(*variable.value_from);
      });
      if (is_one) return true;
    }
  }
  return false;
}

bool NeedsSecret(const Pod& pod, std::string_view name) {
  const auto is_it = [&](const auto& reference) {
    return reference.has_value() && reference->local_object_reference.name == name;
  };
  return std::ranges::any_of(pod.spec.image_pull_secrets,
                             [&](const auto& one) { return one.name == name; }) ||
         std::ranges::any_of(pod.spec.volumes,
                             [&](const core_v1::Volume& volume) {
                               const auto& secret = volume.volume_source.secret;
                               return secret.has_value() && secret->secret_name == name;
                             }) ||
         IsInEnvironment(
             pod,
             [&](const auto& from) { return is_it(from.secret_ref); },
             [&](const auto& from) { return is_it(from.secret_key_ref); });
}

bool NeedsConfigMap(const Pod& pod, std::string_view name) {
  const auto is_it = [&](const auto& reference) {
    return reference.has_value() && reference->local_object_reference.name == name;
  };
  return std::ranges::any_of(pod.spec.volumes,
                             [&](const core_v1::Volume& volume) {
                               return is_it(volume.volume_source.config_map);
                             }) ||
         IsInEnvironment(
             pod,
             [&](const auto& from) { return is_it(from.config_map_ref); },
             [&](const auto& from) { return is_it(from.config_map_key_ref); });
}

bool NeedsAccount(const Pod& pod, std::string_view name) {
  return pod.spec.service_account_name == name;
}

using Needs = bool (*)(const Pod& pod, std::string_view name);
struct Row {
  std::string_view resource;
  Needs needs;
};
constexpr std::array kRows = {Row{"resourceclaims", NeedsClaim},
                              Row{"persistentvolumeclaims", NeedsVolumeClaim},
                              Row{"secrets", NeedsSecret},
                              Row{"configmaps", NeedsConfigMap},
                              Row{"serviceaccounts", NeedsAccount}};

// ----------------------------------------------------------------------------------------- writes

bool IsIn(std::string_view domain, std::string_view parent) {
  return domain == parent || (domain.ends_with(parent) &&
                              domain.substr(0, domain.size() - parent.size()).ends_with('.'));
}

/// Labels by which somebody could steer pods, which only those who look after nodes set.
bool IsForbiddenLabel(std::string_view label) {
  constexpr std::array<std::string_view, 11> kOwn = {"kubernetes.io/hostname",
                                                     "topology.kubernetes.io/zone",
                                                     "topology.kubernetes.io/region",
                                                     "failure-domain.beta.kubernetes.io/zone",
                                                     "failure-domain.beta.kubernetes.io/region",
                                                     "beta.kubernetes.io/instance-type",
                                                     "node.kubernetes.io/instance-type",
                                                     "kubernetes.io/os",
                                                     "kubernetes.io/arch",
                                                     "beta.kubernetes.io/os",
                                                     "beta.kubernetes.io/arch"};
  const size_t slash = label.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view domain = label.substr(0, slash);
  if (IsIn(domain, "node-restriction.kubernetes.io")) return true;
  if (!IsIn(domain, "kubernetes.io") && !IsIn(domain, "k8s.io")) return false;
  const bool is_own = IsIn(domain, "kubelet.kubernetes.io") || IsIn(domain, "node.kubernetes.io") ||
                      std::ranges::find(kOwn, label) != kOwn.end();
  return !is_own;
}

std::set<std::string> ForbiddenChanges(const api::Map<std::string>& now,
                                       const api::Map<std::string>& before) {
  std::set<std::string> changed;
  const auto look = [&](const api::Map<std::string>& a, const api::Map<std::string>& b) {
    for (const auto& [key, value] : a) {
      const auto other = b.find(key);
      const bool is_same = other != b.end() && other->second == value;
      if (!is_same && IsForbiddenLabel(key)) changed.insert(key);
    }
  };
  look(now, before);
  look(before, now);
  return changed;
}

std::string CheckNode(std::string_view node, const core_v1::Node& next, const core_v1::Node* old) {
  const std::string quoted = api::GoQuote(node);
  if (next.metadata.name != node) {
    return fmt::format(
        "node {} is not allowed to modify node {}", quoted, api::GoQuote(next.metadata.name));
  }
  if (old == nullptr) {
    const std::set<std::string> labels = ForbiddenChanges(next.metadata.labels, {});
    if (labels.empty()) return {};
    return fmt::format(
        "node {} is not allowed to set the following labels: {}", quoted, fmt::join(labels, ", "));
  }
  if (next.spec.taints != old->spec.taints) {
    return fmt::format("node {} is not allowed to modify taints", quoted);
  }
  if (next.metadata.owner_references != old->metadata.owner_references) {
    return fmt::format("node {} is not allowed to modify ownerReferences", quoted);
  }
  const std::set<std::string> labels = ForbiddenChanges(next.metadata.labels, old->metadata.labels);
  if (labels.empty()) return {};
  return fmt::format("is not allowed to modify labels: {}", fmt::join(labels, ", "));
}

std::string CheckNewPod(std::string_view node, const Pod& pod) {
  constexpr std::string_view kMirror = "kubernetes.io/config.mirror";
  if (!pod.metadata.annotations.contains(kMirror)) {
    return fmt::format(R"(pod does not have "{}" annotation, node {} can only create mirror pods)",
                       kMirror,
                       api::GoQuote(node));
  }
  if (pod.spec.node_name == node) return {};
  return fmt::format("node {} can only create pods with spec.nodeName set to itself",
                     api::GoQuote(node));
}

/// Why not; empty when it may.
std::string CheckWrite(std::string_view node, const api::Object& next, const api::Object* old) {
  if (const auto* const one = next.If<core_v1::Node>()) {
    return CheckNode(node, *one, old == nullptr ? nullptr : old->If<core_v1::Node>());
  }
  if (old != nullptr) return {};
  if (const auto* const slice = next.If<ResourceSlice>()) {
    if (slice->spec.node_name == node) return {};
    return "can only create ResourceSlice with the same NodeName as the requesting node";
  }
  if (const auto* const pod = next.If<Pod>()) return CheckNewPod(node, *pod);
  const bool is_lease = next.If<api::coordination_v1::Lease>() != nullptr;
  if (is_lease && next.metadata().name != node) {
    return "can only access node lease with the same name as the requesting node";
  }
  return {};
}

}  // namespace

bool IsOfNode(const store::Snapshot& snapshot,
              std::string_view node,
              const access::Attributes& asked) {
  if (asked.resource == "resourceslices") {
    const auto slice = Find<ResourceSlice>(snapshot, "", asked.name);
    return slice.has_value() && slice->spec.node_name == node;
  }
  if (asked.resource == "pods") {
    const auto pod = Find<Pod>(snapshot, asked.namespace_, asked.name);
    return pod.has_value() && pod->spec.node_name == node;
  }
  const auto* const row = std::ranges::find(kRows, asked.resource, &Row::resource);
  if (row == kRows.end() || asked.namespace_.empty()) return false;
  const std::string prefix = storage::CollectionPrefix(PodKind(), asked.namespace_);
  for (const store::Record& record : snapshot.Range({.prefix = prefix, .start_key = {}})) {
    const auto item = storage::ItemOf(storage::View::OfStorage(PodKind()), record);
    if (!item.has_value() || !item->has_value()) continue;
    const Pod& pod = (*item)->object.As<Pod>();
    if (pod.spec.node_name == node && row->needs(pod, asked.name)) return true;
  }
  return false;
}

Result<> CheckNodeWrites(const ResourceRequest& request,
                         const api::Object& next,
                         const api::Object* old) {
  const std::optional<std::string_view> node = access::NodeOf(request.user);
  if (!node.has_value()) return {};
  const std::string why = CheckWrite(*node, next, old);
  if (why.empty()) return {};
  return Fail(errors::Forbidden(*request.kind, next.metadata().name, why));
}

}  // namespace dray::server::verbs
