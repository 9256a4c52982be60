// SPDX-License-Identifier: Apache-2.0
#include "cel/device_values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "api/value/semver.h"
#include "base/check.h"

namespace dray::cel {
namespace {

constexpr std::string_view kUnsupported = "unsupported attribute value";

constexpr std::string_view kAllowMultipleAllocations = "allowMultipleAllocations";
constexpr std::string_view kAttributes = "attributes";
constexpr std::string_view kCapacity = "capacity";

Value SortedMap(Arena& arena, std::span<const MapEntry> entries, bool empty_by_default) {
  const std::span<MapEntry> copy = arena.NewEntries(entries.size());
  std::ranges::copy(entries, copy.begin());
  const std::span<uint64_t> hashes = arena.NewNumbers(entries.size());
  Weight weight = 1;
  for (size_t i = 0; i < entries.size(); ++i) {
    hashes[i] = HashText(entries[i].key.text());
    weight += 1 + WeightOf(entries[i].value);
  }
  return Value::FromMap(arena.Keep(
      Map{.made = copy, .hashes = hashes, .empty_by_default = empty_by_default, .weight = weight}));
}

// The map from domains to maps from ids to values.
Value GroupByDomain(Arena& arena, std::span<const QualifiedValue> entries) {
  std::vector<MapEntry> outer;
  std::vector<MapEntry> inner;
  for (size_t i = 0; i < entries.size(); ++i) {
    const QualifiedValue& entry = entries[i];
    inner.push_back({Value::String(entry.id), entry.value});
    if (i + 1 < entries.size() && entries[i + 1].domain == entry.domain) continue;
    outer.push_back({Value::String(entry.domain), SortedMap(arena, inner, false)});
    inner.clear();
  }
  return SortedMap(arena, outer, /*empty_by_default=*/true);
}

// The index of everything three steps below the device; nullptr if there are too many entries.
const DeepIndex* IndexOf(Arena& arena,
                         std::span<const QualifiedValue> attributes,
                         std::span<const QualifiedValue> capacity) {
  const size_t size = attributes.size() + capacity.size();
  if (size > DeepIndex::kEntriesMax) return nullptr;
  const std::span<DeepIndex::Entry> entries = arena.NewArray<DeepIndex::Entry>(size);
  const std::span<uint8_t> table = arena.NewArray<uint8_t>(std::bit_ceil(2 * size + 1));
  std::ranges::fill(table, uint8_t{0});
  size_t next = 0;
  const auto add = [&](std::string_view field, std::span<const QualifiedValue> items) {
    const uint64_t field_hash = HashText(field);
    const DeepIndex::Group* group = nullptr;
    for (const QualifiedValue& item : items) {
      const uint64_t hash = HashPath(field_hash, HashText(item.domain), HashText(item.id));
      if (group == nullptr || group->b != item.domain) {
        group = arena.Keep(DeepIndex::Group{.a = field, .b = item.domain});
      }
      entries[next++] = {hash, group, item.id, item.value};
      size_t at = hash & (table.size() - 1);
      while (table[at] != 0) at = (at + 1) & (table.size() - 1);
      table[at] = static_cast<uint8_t>(next);
    }
  };
  add(kAttributes, attributes);
  add(kCapacity, capacity);
  return arena.Keep(DeepIndex{.entries = entries, .table = table});
}

template <class Items, class Make>
Value ListOf(Arena& arena, const Items& items, Make make) {
  const std::span<Value> values = arena.NewValues(items.size());
  for (size_t i = 0; i < items.size(); ++i) values[i] = make(items[i]);
  return Value::FromList(arena.Keep(List{.made = values, .weight = 1 + items.size()}));
}

}  // namespace

QualifiedValue Qualify(std::string_view name, std::string_view driver, const Value& value) {
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) {
    return {.domain = driver, .id = name, .value = value, .is_qualified = false};
  }
  return {.domain = name.substr(0, slash), .id = name.substr(slash + 1), .value = value};
}

void SortQualified(std::vector<QualifiedValue>& values) {
  std::ranges::sort(values, [](const QualifiedValue& a, const QualifiedValue& b) {
    return std::tie(a.domain, a.id, a.is_qualified) < std::tie(b.domain, b.id, b.is_qualified);
  });
  const auto again = std::ranges::unique(
      values, [](const auto& a, const auto& b) { return a.domain == b.domain && a.id == b.id; });
  values.erase(again.begin(), again.end());
}

void AttributeReader::Problem::Note(std::string_view attribute, std::string_view problem) {
  if (!text.empty() && name <= attribute) return;
  name = attribute;
  text = fmt::format("attribute {}: {}", attribute, problem);
}

void AttributeReader::NoteError(std::string_view name, std::string_view problem) {
  error_.Note(name, problem);
  error_without_lists_.Note(name, problem);
}

Value AttributeReader::ReadVersion(std::string_view name, std::string_view text) {
  auto parsed = api::Semver::Parse(text);
  if (!parsed.has_value()) {
    NoteError(name, fmt::format("parse semantic version: {}", parsed.error().message));
    return {};
  }
  return Value::Semver(arena_.Keep(*std::move(parsed)));
}

Value AttributeReader::Read(const Attribute& attribute) {
  const AttributeValue& value = attribute.value;
  if (const auto* const item = std::get_if<bool>(&value)) return Value::Bool(*item);
  if (const auto* const item = std::get_if<int64_t>(&value)) return Value::Int(*item);
  if (const auto* const item = std::get_if<std::string_view>(&value)) return Value::String(*item);
  if (const auto* const item = std::get_if<VersionText>(&value)) {
    return ReadVersion(attribute.name, item->text);
  }
  if (!std::holds_alternative<std::monostate>(value)) return ReadList(attribute);
  NoteError(attribute.name, kUnsupported);
  return {};
}

Value AttributeReader::ReadList(const Attribute& attribute) {
  const AttributeValue& value = attribute.value;
  error_without_lists_.Note(attribute.name, kUnsupported);
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
      return ReadVersion(attribute.name, text);
    });
  }
  return {};
}

Value MakeDevice(Arena& arena, const DeviceParts& parts) {
  const std::array fields = {
      MapEntry{Value::String(kAllowMultipleAllocations),
               Value::Bool(parts.allow_multiple_allocations)},
      MapEntry{Value::String(kAttributes), GroupByDomain(arena, parts.attributes)},
      MapEntry{Value::String(kCapacity), GroupByDomain(arena, parts.capacity)},
      MapEntry{Value::String("driver"), Value::String(parts.driver)},
  };
  Map device = SortedMap(arena, fields, /*empty_by_default=*/false).map();
  device.deep = IndexOf(arena, parts.attributes, parts.capacity);
  return Value::FromMap(arena.Keep(device));
}

Value WithoutMultipleAllocations(Arena& arena, const Value& device) {
  Map rest = device.map();  // sorted by key, so that what goes is the first
  DRAY_CHECK(rest.made.front().key.text() == kAllowMultipleAllocations);
  rest.made = rest.made.subspan(1);
  rest.hashes = rest.hashes.subspan(1);
  rest.weight -= 1 + WeightOf(device.map().entries().front().value);
  return Value::FromMap(arena.Keep(rest));
}

}  // namespace dray::cel
