// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/priority_classes.h"

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/core_v1/pod.h"
#include "api/scheduling_v1.h"
#include "api/scheduling_v1beta1.h"
#include "server/errors/errors.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "store/record.h"

namespace dray::server::verbs {
namespace {

using api::core_v1::Pod;
using api::scheduling_v1::PriorityClass;
using api::scheduling_v1beta1::PodGroup;

constexpr const api::KindInfo& kPriorityClasses = api::Reflected<PriorityClass>::kKind;

registry::PodPriority PriorityOfClass(const PriorityClass& priority_class) {
  registry::PodPriority priority{.class_name = priority_class.metadata.name,
                                 .value = priority_class.value};
  if (priority_class.preemption_policy.has_value()) {
    priority.preemption_policy = *priority_class.preemption_policy;
  }
  return priority;
}

/// The default class with the lowest value; nothing when there is none. What cannot be read is
/// none.
std::optional<PriorityClass> DefaultClass(const store::Snapshot& snapshot) {
  std::optional<PriorityClass> lowest;
  for (const store::Record& record :
       snapshot.Range({.prefix = storage::ResourcePrefix(kPriorityClasses), .start_key = {}})) {
    const auto item = storage::ItemOf(storage::View::OfStorage(kPriorityClasses), record);
    if (!item.has_value() || !item->has_value()) continue;
    const auto& one = (*item)->object.As<PriorityClass>();
    if (one.global_default && (!lowest.has_value() || one.value < lowest->value)) lowest = one;
  }
  return lowest;
}

}  // namespace

Result<std::optional<registry::PodPriority>> PriorityOf(const api::Object& object,
                                                        const store::Snapshot& snapshot) {
  const auto* const pod = object.If<Pod>();
  const auto* const group = object.If<PodGroup>();
  if (pod == nullptr && group == nullptr) return std::nullopt;
  const std::string& name =
      pod != nullptr ? pod->spec.priority_class_name : group->spec.priority_class_name;
  if (name.empty()) {
    const std::optional<PriorityClass> usual = DefaultClass(snapshot);
    return usual.has_value() ? PriorityOfClass(*usual) : registry::PodPriority{};
  }
  if (const store::Record* record = snapshot.Find(storage::ObjectKey(kPriorityClasses, "", name))) {
    DRAY_TRY(const auto item, storage::ItemOf(storage::View::OfStorage(kPriorityClasses), *record));
    if (item.has_value()) return PriorityOfClass(item->object.As<PriorityClass>());
  }
  return Fail(errors::Forbidden(object.kind(),
                                errors::NameInAdmission(object.metadata()),
                                fmt::format("no PriorityClass with name {} was found", name)));
}

Result<> CheckDefaultClass(const api::Object& object, const store::Snapshot& snapshot) {
  const auto* const wish = object.If<PriorityClass>();
  if (wish == nullptr || !wish->global_default) return {};
  const std::optional<PriorityClass> usual = DefaultClass(snapshot);
  if (!usual.has_value() || usual->metadata.name == wish->metadata.name) return {};
  return Fail(errors::Forbidden(
      object.kind(),
      wish->metadata.name,
      fmt::format("PriorityClass {} is already marked as default. Only one default can exist",
                  usual->metadata.name)));
}

}  // namespace dray::server::verbs
