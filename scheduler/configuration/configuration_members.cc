// SPDX-License-Identifier: Apache-2.0
#include "scheduler/configuration/configuration_members.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "api/value/time.h"
#include "base/try.h"

namespace dray::scheduler::inline configuration {
namespace {

using api::JsonTree;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr seconds kBackoffMax{24 * 3600};
constexpr seconds kTimeoutMax{365 * 24 * 3600};

}  // namespace

Failure RefuseSetting(const std::string& path, std::string_view why) {
  return Fail(StatusReason::kInvalid, fmt::format("{}: {}", path, why));
}

std::string Members::PathOf(std::string_view name) const {
  return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
}

const JsonTree* Members::Find(std::string_view name) {
  asked_.emplace_back(name);
  const JsonTree* found = tree_.members().Find(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

Result<std::string> Members::Text(std::string_view name) {
  const JsonTree* found = Find(name);
  if (found == nullptr) return std::string();
  if (!found->is_string()) return RefuseSetting(PathOf(name), "must be a string");
  return found->text;
}

Result<> Members::MustBe(std::string_view name, std::string_view text) {
  DRAY_TRY(const std::string value, Text(name));
  if (value.empty() || value == text) return {};
  return RefuseSetting(PathOf(name), fmt::format("must be {}", text));
}

Result<const std::vector<JsonTree>*> Members::List(std::string_view name, size_t most) {
  const JsonTree* found = Find(name);
  if (found == nullptr) return nullptr;
  if (!found->is_array()) return RefuseSetting(PathOf(name), "must be a list");
  if (found->elements().size() > most) {
    return RefuseSetting(PathOf(name), fmt::format("must have at most {} items", most));
  }
  return &found->elements();
}

Result<std::optional<nanoseconds>> Members::Time(std::string_view name) {
  DRAY_TRY(const std::string text, Text(name));
  if (text.empty()) return std::optional<nanoseconds>();
  const Result<api::Duration> duration = api::Duration::Parse(text);
  if (!duration) return RefuseSetting(PathOf(name), duration.error().message);
  const nanoseconds value(duration->nanos());
  if (value > kTimeoutMax) return RefuseSetting(PathOf(name), "must be at most 8760h");
  return std::optional(value);
}

Result<std::optional<seconds>> Members::Seconds(std::string_view name) {
  DRAY_TRY(const std::optional<int64_t> value, Whole(name, kBackoffMax.count()));
  return value ? std::optional(seconds(*value)) : std::nullopt;
}

Result<std::optional<int32_t>> Members::Positive(std::string_view name) {
  DRAY_TRY(const std::optional<int64_t> value, Whole(name, std::numeric_limits<int32_t>::max()));
  return value ? std::optional(static_cast<int32_t>(*value)) : std::nullopt;
}

Result<> Members::RefuseOthers() const {
  for (const auto& [name, value] : tree_.members().All()) {
    if (std::ranges::find(asked_, name) == asked_.end()) {
      return RefuseSetting(PathOf(name), "is not supported");
    }
  }
  return {};
}

Result<std::optional<int64_t>> Members::Whole(std::string_view name, int64_t most) {
  const JsonTree* found = Find(name);
  if (found == nullptr) return std::optional<int64_t>();
  int64_t value = 0;
  const char* const end = found->text.data() + found->text.size();
  const auto read = std::from_chars(found->text.data(), end, value);
  if (found->kind != api::JsonKind::kNumber || read.ec != std::errc() || read.ptr != end ||
      value < 1 || value > most) {
    return RefuseSetting(PathOf(name), fmt::format("must be a whole number from 1 to {}", most));
  }
  return std::optional(value);
}

}  // namespace dray::scheduler::inline configuration
