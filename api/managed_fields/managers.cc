// SPDX-License-Identifier: Apache-2.0
#include "api/managed_fields/managers.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json_writer.h"
#include "api/text/go_quote.h"
#include "base/try.h"

namespace dray::api::managed_fields {
namespace {

constexpr std::string_view kFieldsV1 = "FieldsV1";
constexpr std::string_view kOldUpdates = "ancient-changes";

std::string_view OperationName(Operation operation) {
  return operation == Operation::kApply ? "Apply" : "Update";
}

int64_t SecondsOf(const std::optional<Time>& time) {
  return time.has_value() ? time->unix_seconds() : 0;
}

Result<Manager> OpenManager(const meta_v1::ManagedFieldsEntry& entry, size_t index) {
  const bool applied = entry.operation == "Apply";
  if (!applied && entry.operation != "Update") {
    return Fail(StatusReason::kBadRequest, "operation must be `Apply` or `Update`");
  }
  if (entry.api_version.empty()) {
    return Fail(StatusReason::kBadRequest, "apiVersion must not be empty");
  }
  if (entry.fields_type.empty()) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("missing fieldsType in managed fields entry {}", index));
  }
  if (entry.fields_type != kFieldsV1) {
    return Fail(
        StatusReason::kBadRequest,
        fmt::format(
            "invalid fieldsType {} in managed fields entry {}", GoQuote(entry.fields_type), index));
  }
  Manager manager{.id = {.name = entry.manager,
                         .operation = applied ? Operation::kApply : Operation::kUpdate,
                         .api_version = entry.api_version,
                         .subresource = entry.subresource},
                  .time = entry.time,
                  .fields = FieldSet()};
  if (entry.fields_v1.has_value() && !entry.fields_v1->IsNull()) {
    manager.written = *entry.fields_v1;
    manager.is_unread = true;
  }
  return manager;
}

meta_v1::ManagedFieldsEntry WriteManager(Manager manager) {
  meta_v1::ManagedFieldsEntry entry;
  entry.manager = std::move(manager.id.name);
  entry.operation = OperationName(manager.id.operation);
  entry.api_version = std::move(manager.id.api_version);
  entry.subresource = std::move(manager.id.subresource);
  entry.time = manager.time;
  entry.fields_type = kFieldsV1;
  entry.fields_v1 =
      manager.written.IsEmpty() ? RawJson(manager.fields.ToJson()) : std::move(manager.written);
  return entry;
}

// The identity of a manager.
auto Who(const ManagerId& id) {
  return std::tuple(
      std::string_view(id.name),
      id.operation,
      std::string_view(id.subresource),
      id.operation == Operation::kApply ? std::string_view() : std::string_view(id.api_version));
}

}  // namespace

bool ManagerId::operator==(const ManagerId& other) const {
  return Who(*this) == Who(other);
}

std::string ManagerId::SortText() const {
  std::string text;
  JsonWriter json(text);
  json.Object([&] {
    if (!name.empty()) json.Member("manager", name);
    json.Member("operation", OperationName(operation));
    if (operation == Operation::kUpdate) json.Member("apiVersion", api_version);
    if (!subresource.empty()) json.Member("subresource", subresource);
  });
  return text;
}

std::string ManagerId::Readable() const {
  std::string text = GoQuote(name);
  if (!subresource.empty()) text += fmt::format(" with subresource {}", GoQuote(subresource));
  if (operation == Operation::kUpdate) text += fmt::format(" using {}", api_version);
  return text;
}

Result<Managers> OpenManagers(const Entries& entries) {
  Managers managers;
  managers.reserve(entries.size() + 1);
  for (size_t i = 0; i < entries.size(); ++i) {
    DRAY_TRY(Manager manager, OpenManager(entries[i], i));
    managers.push_back(std::move(manager));
  }
  if (entries.size() < 2) return managers;
  std::vector<size_t> order;
  order.reserve(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) order.push_back(i);
  const auto who = [&](size_t index) { return Who(managers[index].id); };
  std::ranges::sort(order, {}, [&](size_t index) { return std::tuple(who(index), index); });
  if (std::ranges::adjacent_find(order, {}, who) == order.end()) return managers;
  Managers different;
  for (size_t i = 0; i < order.size(); ++i) {
    const bool is_last = i + 1 == order.size() || who(order[i]) != who(order[i + 1]);
    if (is_last) different.push_back(std::move(managers[order[i]]));
  }
  return different;
}

Result<> ReadFields(Manager& manager) {
  if (!std::exchange(manager.is_unread, false)) return {};
  DRAY_TRY(manager.fields, FieldSet::Parse(manager.written.bytes()));
  return {};
}

Result<Managers> ReadManagers(const Entries& entries) {
  DRAY_TRY(Managers managers, OpenManagers(entries));
  for (Manager& manager : managers) DRAY_TRY_VOID(ReadFields(manager));
  return managers;
}

Entries WriteManagers(Managers managers) {
  const auto place = [](const Manager& manager) {
    const ManagerId& id = manager.id;
    return std::tuple(OperationName(id.operation),
                      SecondsOf(manager.time),
                      std::string_view(id.name),
                      std::string_view(id.api_version),
                      std::string_view(id.subresource));
  };
  std::ranges::sort(managers, {}, place);
  Entries entries;
  entries.reserve(managers.size());
  for (Manager& manager : managers) entries.push_back(WriteManager(std::move(manager)));
  return entries;
}

bool IsReset(const Entries& entries) {
  if (entries.empty()) return entries.present();
  return entries.size() == 1 && entries.front() == meta_v1::ManagedFieldsEntry();
}

Manager* FindManager(Managers& managers, const ManagerId& id) {
  const auto found = std::ranges::find(managers, id, &Manager::id);
  return found == managers.end() ? nullptr : &*found;
}

Result<> CapUpdates(Managers& managers) {
  const auto is_update = [](const Manager& manager) {
    return manager.id.operation == Operation::kUpdate;
  };
  auto updates = static_cast<size_t>(std::ranges::count_if(managers, is_update));
  if (updates <= kUpdateManagersMax) return {};
  std::vector<std::tuple<int64_t, std::string, Manager*>> by_age;
  std::map<std::string, Manager*> buckets;  // of each version, where it has one
  for (Manager& manager : managers) {
    if (!is_update(manager)) continue;
    by_age.emplace_back(SecondsOf(manager.time), manager.id.SortText(), &manager);
    if (manager.id.name == kOldUpdates && manager.id.subresource.empty()) {
      buckets.emplace(manager.id.api_version, &manager);
    }
  }
  std::ranges::sort(by_age);
  std::map<std::string, Manager*> oldest;  // of each version
  for (const auto& [seconds, text, manager] : by_age) {
    if (updates <= kUpdateManagersMax) break;
    const auto [first, is_new] = oldest.emplace(manager->id.api_version, manager);
    if (is_new) continue;
    Manager*& bucket = buckets.emplace(manager->id.api_version, first->second).first->second;
    bucket->id.name = kOldUpdates;
    bucket->id.subresource.clear();
    if (manager == bucket) continue;
    DRAY_TRY_VOID(ReadFields(*bucket));
    DRAY_TRY_VOID(ReadFields(*manager));
    bucket->fields.Add(std::move(manager->fields));
    bucket->written = RawJson();
    bucket->time = manager->time;  // the later one
    manager->fields = FieldSet();
    --updates;
  }
  std::erase_if(managers, std::mem_fn(&Manager::owns_nothing));
  return {};
}

}  // namespace dray::api::managed_fields
