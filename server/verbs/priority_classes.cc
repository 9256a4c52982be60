// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/priority_classes.h"

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/pods/priority.h"
#include "api/scheduling_v1.h"
#include "server/errors/errors.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "store/record.h"

namespace dray::server::verbs {
namespace {

using api::scheduling_v1::PriorityClass;

constexpr const api::KindInfo& kPriorityClasses = api::Reflected<PriorityClass>::kKind;

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

Result<std::optional<api::pods::PodPriority>> PriorityOf(const api::Object& object,
                                                         const store::Snapshot& snapshot) {
  const std::string* const named = api::pods::PriorityClassNamedBy(object);
  if (named == nullptr) return std::nullopt;
  const std::string& name = *named;
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
