// SPDX-License-Identifier: Apache-2.0
#include "cel/device.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "api/semver.h"

namespace dray::cel {
namespace {

struct QualifiedEntry {
  std::string_view domain;
  std::string_view id;
  bool is_qualified = false;
  Value value;
};

QualifiedEntry Qualify(std::string_view name, std::string_view driver, const Value& value) {
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) return {driver, name, false, value};
  return {name.substr(0, slash), name.substr(slash + 1), true, value};
}

Value SortedMap(Arena& arena, std::span<const MapEntry> entries, bool empty_by_default) {
  const std::span<MapEntry> copy = arena.NewEntries(entries.size());
  std::ranges::copy(entries, copy.begin());
  const std::span<uint64_t> hashes = arena.NewNumbers(entries.size());
  Weight weight = 1;
  for (size_t i = 0; i < entries.size(); ++i) {
    hashes[i] = HashText(entries[i].key.text());
    weight += 1 + WeightOf(entries[i].value);
  }
  return Value::FromMap(arena.Keep(Map{
      .entries = copy, .hashes = hashes, .empty_by_default = empty_by_default, .weight = weight}));
}

// The map from domains to maps from ids to values.
Value GroupByDomain(Arena& arena, std::vector<QualifiedEntry> entries) {
  std::ranges::sort(entries, [](const QualifiedEntry& a, const QualifiedEntry& b) {
    return std::tie(a.domain, a.id, a.is_qualified) < std::tie(b.domain, b.id, b.is_qualified);
  });
  std::vector<MapEntry> outer;
  std::vector<MapEntry> inner;
  for (size_t i = 0; i < entries.size(); ++i) {
    const QualifiedEntry& entry = entries[i];
    const bool again = !inner.empty() && inner.back().key.text() == entry.id;
    if (!again) inner.push_back({Value::String(entry.id), entry.value});
    if (i + 1 < entries.size() && entries[i + 1].domain == entry.domain) continue;
    outer.push_back({Value::String(entry.domain), SortedMap(arena, inner, false)});
    inner.clear();
  }
  return SortedMap(arena, outer, /*empty_by_default=*/true);
}

template <class Items, class Make>
Value ListOf(Arena& arena, const Items& items, Make make) {
  const std::span<Value> values = arena.NewValues(items.size());
  for (size_t i = 0; i < items.size(); ++i) values[i] = make(items[i]);
  return Value::FromList(arena.Keep(List{.items = values, .weight = 1 + items.size()}));
}

}  // namespace

void DeviceActivation::NoteError(std::string_view name, std::string_view problem) {
  if (!error_.empty() && error_name_ <= name) return;
  error_name_ = name;
  error_ = fmt::format("attribute {}: {}", name, problem);
}

Value DeviceActivation::VersionOf(std::string_view name, std::string_view text) {
  auto parsed = api::Semver::Parse(text);
  if (!parsed.has_value()) {
    NoteError(name, fmt::format("parse semantic version: {}", parsed.error().message));
    return {};
  }
  return Value::Semver(arena_.Keep(*std::move(parsed)));
}

Value DeviceActivation::AttributeOf(const Attribute& attribute) {
  const AttributeValue& value = attribute.value;
  if (const auto* const item = std::get_if<bool>(&value)) return Value::Bool(*item);
  if (const auto* const item = std::get_if<int64_t>(&value)) return Value::Int(*item);
  if (const auto* const item = std::get_if<std::string_view>(&value)) return Value::String(*item);
  if (const auto* const item = std::get_if<VersionText>(&value)) {
    return VersionOf(attribute.name, item->text);
  }
  if (const auto* const items = std::get_if<std::vector<bool>>(&value)) {
    return ListOf(arena_, *items, [](bool item) { return Value::Bool(item); });
  }
  if (const auto* const items = std::get_if<std::span<const int64_t>>(&value)) {
    return ListOf(arena_, *items, [](int64_t item) { return Value::Int(item); });
  }
  if (const auto* const items = std::get_if<std::span<const std::string>>(&value)) {
    return ListOf(arena_, *items, [](const std::string& item) { return Value::String(item); });
  }
  if (const auto* const items = std::get_if<VersionTexts>(&value)) {
    return ListOf(arena_, items->texts, [&](const std::string& text) {
      return VersionOf(attribute.name, text);
    });
  }
  NoteError(attribute.name, "unsupported attribute value");
  return {};
}

DeviceActivation::DeviceActivation(const Device& device) {
  std::vector<QualifiedEntry> attributes;
  attributes.reserve(device.attributes.size());
  for (const Attribute& attribute : device.attributes) {
    attributes.push_back(Qualify(attribute.name, device.driver, AttributeOf(attribute)));
  }
  std::vector<QualifiedEntry> capacity;
  capacity.reserve(device.capacity.size());
  for (const Capacity& item : device.capacity) {
    capacity.push_back(Qualify(item.name, device.driver, Value::Quantity(item.value)));
  }
  const std::array fields = {
      MapEntry{Value::String("allowMultipleAllocations"),
               Value::Bool(device.allow_multiple_allocations)},
      MapEntry{Value::String("attributes"), GroupByDomain(arena_, std::move(attributes))},
      MapEntry{Value::String("capacity"), GroupByDomain(arena_, std::move(capacity))},
      MapEntry{Value::String("driver"), Value::String(device.driver)},
  };
  value_ = SortedMap(arena_, fields, false);
}

}  // namespace dray::cel
