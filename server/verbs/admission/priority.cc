// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/priority.h"

#include <optional>
#include <string>

#include <fmt/format.h>

#include "api/core_v1/pod.h"
#include "api/pods/priority.h"
#include "api/scheduling_v1.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "store/record.h"

namespace dray::server::verbs::admission {
namespace {

using api::core_v1::Pod;
using api::scheduling_v1::PriorityClass;

constexpr const api::KindInfo& kPriorityClasses = api::Reflected<PriorityClass>::kKind;

/// The default class with the lowest value; nothing when there is none. Classes that cannot be read
/// are ignored.
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

/// The priority of the class of this name; of the default class if the name is empty.
Result<api::pods::PodPriority> PriorityOf(const api::Object& object,
                                          const std::string& name,
                                          const store::Snapshot& snapshot) {
  if (name.empty()) {
    const std::optional<PriorityClass> usual = DefaultClass(snapshot);
    return usual.has_value() ? api::pods::PriorityOfClass(*usual) : api::pods::PodPriority{};
  }
  if (const store::Record* record = snapshot.Find(storage::ObjectKey(kPriorityClasses, "", name))) {
    DRAY_TRY(const auto item, storage::ItemOf(storage::View::OfStorage(kPriorityClasses), *record));
    if (item.has_value()) return api::pods::PriorityOfClass(item->object.As<PriorityClass>());
  }
  return Fail(errors::Forbidden(object.kind(),
                                errors::NameInAdmission(object.metadata()),
                                fmt::format("no PriorityClass with name {} was found", name)));
}

// Copies priority and policy that the client left out: validation refuses any change of them.
void KeepPriority(const Pod& old, api::Object& pod) {
  auto& spec = pod.Mutable<Pod>().spec;
  if (!spec.priority.has_value()) spec.priority = old.spec.priority;
  if (!spec.preemption_policy.has_value()) spec.preemption_policy = old.spec.preemption_policy;
}

}  // namespace

Result<> GivePriority(const Call& /*call*/,
                      const store::Snapshot& snapshot,
                      const Write& write,
                      api::Object* object) {
  if (!write.subresource.empty() || object == nullptr) return {};
  const auto* const pod = object->If<Pod>();
  if (pod != nullptr && write.old_object != nullptr) {
    KeepPriority(write.old_object->As<Pod>(), *object);
    return {};
  }
  if (!write.Is(policies::Operation::kCreate)) return {};
  const std::string* const named = api::pods::PriorityClassNamedBy(*object);
  if (named == nullptr) return {};
  DRAY_TRY(const api::pods::PodPriority priority, PriorityOf(*object, *named, snapshot));
  const std::string why_not = api::pods::GivePriority(priority, *object);
  if (why_not.empty()) return {};
  return Fail(
      errors::Forbidden(object->kind(), errors::NameInAdmission(object->metadata()), why_not));
}

Result<> CheckDefaultClass(const Call& /*call*/,
                           const store::Snapshot& snapshot,
                           const Write& write) {
  const auto* const next = write.object->If<PriorityClass>();
  if (next == nullptr || !next->global_default) return {};
  const std::optional<PriorityClass> usual = DefaultClass(snapshot);
  if (!usual.has_value() || usual->metadata.name == next->metadata.name) return {};
  return Fail(errors::Forbidden(
      write.object->kind(),
      next->metadata.name,
      fmt::format("PriorityClass {} is already marked as default. Only one default can exist",
                  usual->metadata.name)));
}

}  // namespace dray::server::verbs::admission
