// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/pods/runtime_class.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "api/core_v1/pod.h"
#include "api/node_v1.h"
#include "api/text/go_quote.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/verbs/context/node_relations.h"

namespace dray::server::verbs::admission::inline pods {
namespace {

using api::core_v1::Pod;
using api::core_v1::Toleration;
using api::node_v1::RuntimeClass;

constexpr std::string_view kOtherOverhead =
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

Failure Refused(const Pod& pod, std::string_view why) {
  return Fail(
      errors::Forbidden(api::Reflected<Pod>::kKind, errors::NameInAdmission(pod.metadata), why));
}

/// The pod of a write to a pod itself; null: the write is another one.
const Pod* PodOf(const Write& write) {
  if (!write.subresource.empty() || write.object == nullptr) return nullptr;
  return write.object->If<Pod>();
}

/// The class of the pod; nothing if it names none.
Result<std::optional<RuntimeClass>> ClassOf(const Pod& pod, const store::Snapshot& snapshot) {
  const std::optional<std::string>& name = pod.spec.runtime_class_name;
  if (!name.has_value()) return std::nullopt;
  const api::Object found = FindStored(snapshot, api::Reflected<RuntimeClass>::kKind, "", *name);
  if (!found.empty()) return found.As<RuntimeClass>();
  return Refused(pod, fmt::format("pod rejected: RuntimeClass {} not found", api::GoQuote(*name)));
}

Result<> ApplyOverhead(const RuntimeClass& runtime, Pod& pod) {
  if (!runtime.overhead.has_value()) return {};
  if (!pod.spec.overhead.empty() && pod.spec.overhead != runtime.overhead->pod_fixed) {
    return Refused(pod, kOtherOverhead);
  }
  pod.spec.overhead = runtime.overhead->pod_fixed;
  return {};
}

/// Whether `wide` tolerates all that `narrow` tolerates.
bool Includes(const Toleration& wide, const Toleration& narrow) {
  if (wide == narrow) return true;
  const bool is_for_all_keys = wide.key.empty() && wide.operator_ == "Exists";
  if (wide.key != narrow.key && !is_for_all_keys) return false;
  if (!wide.effect.empty() && wide.effect != narrow.effect) return false;
  if (wide.effect == "NoExecute" && wide.toleration_seconds.has_value()) {
    const bool is_shorter = narrow.toleration_seconds.has_value() &&
                            *narrow.toleration_seconds <= *wide.toleration_seconds;
    if (!is_shorter) return false;
  }
  if (wide.operator_ == "Exists") return true;
  const bool compares_values = wide.operator_.empty() || wide.operator_ == "Equal";
  return compares_values && narrow.operator_ == "Equal" && wide.value == narrow.value;
}

/// Both lists without the tolerations that another one includes; of equal ones the first stays.
std::vector<Toleration> Merged(std::vector<Toleration> all, const std::vector<Toleration>& more) {
  all.insert(all.end(), more.begin(), more.end());
  std::vector<Toleration> merged;
  for (auto one = all.begin(); one != all.end(); ++one) {
    const auto is_wider = [&](const Toleration& other) { return Includes(other, *one); };
    const auto is_wider_and_other = [&](const Toleration& other) {
      return other != *one && is_wider(other);
    };
    const bool is_redundant = std::ranges::any_of(merged, is_wider) ||
                              std::any_of(one + 1, all.end(), is_wider_and_other);
    if (!is_redundant) merged.push_back(*one);
  }
  return merged;
}

Result<> ApplyScheduling(const RuntimeClass& runtime, Pod& pod) {
  if (!runtime.scheduling.has_value()) return {};
  for (const auto& [key, value] : runtime.scheduling->node_selector) {
    const auto [found, is_new] = pod.spec.node_selector.emplace(key, value);
    if (is_new || found->second == value) continue;
    return Refused(pod,
                   fmt::format("conflict: runtimeClass.scheduling.nodeSelector[{0}] = {1}; "
                               "pod.spec.nodeSelector[{0}] = {2}",
                               key,
                               value,
                               found->second));
  }
  pod.spec.tolerations = Merged(pod.spec.tolerations, runtime.scheduling->tolerations);
  return {};
}

}  // namespace

Result<> ApplyRuntimeClass(const Call& /*call*/,
                           const store::Snapshot& snapshot,
                           const Write& write,
                           api::Object* object) {
  const Pod* const pod = PodOf(write);
  if (pod == nullptr || object == nullptr) return {};
  DRAY_TRY(const std::optional<RuntimeClass> runtime, ClassOf(*pod, snapshot));
  if (!runtime.has_value()) return {};
  DRAY_TRY_VOID(ApplyOverhead(*runtime, object->Mutable<Pod>()));
  return ApplyScheduling(*runtime, object->Mutable<Pod>());
}

Result<> CheckOverhead(const Call& /*call*/, const store::Snapshot& snapshot, const Write& write) {
  const Pod* const pod = PodOf(write);
  if (pod == nullptr) return {};
  DRAY_TRY(const std::optional<RuntimeClass> runtime, ClassOf(*pod, snapshot));
  if (runtime.has_value() && runtime->overhead.has_value()) {
    if (pod->spec.overhead == runtime->overhead->pod_fixed) return {};
    return Refused(*pod, kOtherOverhead);
  }
  if (pod->spec.overhead.empty()) return {};
  return Refused(
      *pod, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
}

}  // namespace dray::server::verbs::admission::inline pods
