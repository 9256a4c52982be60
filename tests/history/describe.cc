// SPDX-License-Identifier: Apache-2.0
#include "tests/history/describe.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "tests/history/history.h"

namespace dray::history {
namespace {

constexpr size_t kValueShown = 24;

std::string Described(const Get& get) {
  return "get " + get.key;
}

std::string Described(const List& list) {
  std::string text = fmt::format("list \"{}\"", list.prefix);
  if (!list.start_key.empty()) text += " from " + ShortValue(list.start_key);
  if (list.limit > 0) text += fmt::format(" limit {}", list.limit);
  return text;
}

std::string Described(const Write& write) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const Condition& condition : write.conditions) {
    add(condition.modified.value() == 0
            ? fmt::format("if {} absent", condition.key)
            : fmt::format("if {}@{}", condition.key, condition.modified.value()));
  }
  for (const Change& change : write.changes) {
    add(change.value.has_value() ? fmt::format("put {}={}", change.key, ShortValue(*change.value))
                                 : "delete " + change.key);
  }
  return text;
}

std::string_view Verb(const Request& request) {
  if (std::holds_alternative<Get>(request)) return "get";
  return std::holds_alternative<List>(request) ? "list" : "write";
}

std::string_view DescribedKind(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::kCreated: return "created";
    case Event::Kind::kUpdated: return "updated";
    case Event::Kind::kDeleted: return "deleted";
  }
  return "?";
}

}  // namespace

std::string ShortValue(std::string_view value) {
  if (value.size() <= kValueShown) return std::string(value);
  return fmt::format("{}… ({} bytes)", value.substr(0, kValueShown), value.size());
}

std::string Describe(const Item& item) {
  std::string text = fmt::format("{}={}", item.key, ShortValue(item.value));
  if (item.modified.value() != 0) text += fmt::format("@{}", item.modified.value());
  if (item.created.value() != 0)
    text += fmt::format(" (created {}, version {})", item.created.value(), item.version);
  return text;
}

std::string Describe(std::string_view key, const std::optional<Item>& item) {
  return item.has_value() ? Describe(*item) : std::string(key) + " absent";
}

std::string Name(const Operation& operation) {
  if (operation.client == kStoreItself)
    return fmt::format("the expiry of what #{} put", operation.called);
  const std::string text = fmt::format(
      "#{} {} of client {}", operation.called, Verb(operation.request), operation.client);
  if (operation.returned != 0 && !std::holds_alternative<Unknown>(operation.answer)) {
    return text + fmt::format(" ({} to {})", operation.called, operation.returned);
  }
  return text + " (outcome unknown)";
}

std::string Describe(const Operation& operation) {
  return Name(operation) + ": " +
         std::visit([](const auto& request) { return Described(request); }, operation.request);
}

std::string Name(const Watch& watch) {
  return fmt::format("#{} watch of client {} on \"{}\" after {}",
                     watch.opened,
                     watch.client,
                     watch.prefix,
                     watch.after.value());
}

std::string Describe(const Event& event) {
  return std::string(DescribedKind(event.kind)) + " " + Describe(event.item);
}

}  // namespace dray::history
