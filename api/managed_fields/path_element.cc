// SPDX-License-Identifier: Apache-2.0
#include "api/managed_fields/path_element.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json_reader.h"
#include "api/text/go_quote.h"
#include "base/text/json_text.h"

namespace dray::api::managed_fields {
namespace {

void AppendQuoted(std::string_view text, std::string& out) {
  AppendJsonString(text, JsonEscapes::kWeb, out);
}

// The next value of `reader` as compact JSON. A value that is no scalar keeps its text, because no
// list of the API has such keys.
std::string NextValue(JsonReader& reader) {
  if (reader.Peek() != JsonKind::kString) return std::string(reader.Skip());
  std::string text;
  reader.String(text);
  std::string json;
  AppendQuoted(text, json);
  return json;
}

// The members of a key's text, which is without its prefix.
std::vector<KeyMember> MembersOf(JsonReader& reader) {
  std::vector<KeyMember> members;
  reader.EnterObject();
  std::string name;
  while (reader.NextKey(name)) {
    std::string value = NextValue(reader);
    members.emplace_back(name, std::move(value));
  }
  return members;
}

std::vector<KeyMember> MembersOf(std::string_view json) {
  JsonReader reader(json);
  return MembersOf(reader);
}

std::string TextOf(std::string_view json) {
  JsonReader reader(json);
  std::string text;
  reader.String(text);
  return text;
}

// The place of a JSON value among those of other kinds.
int RankOf(std::string_view json) {
  switch (JsonReader(json).Peek()) {
    case JsonKind::kNumber: return 0;
    case JsonKind::kString: return 1;
    case JsonKind::kBool: return 2;
    case JsonKind::kArray: return 3;
    case JsonKind::kObject: return 4;
    case JsonKind::kNull:
    case JsonKind::kInvalid: return 5;
  }
  return 5;
}

template <class Number>
std::optional<Number> Whole(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::strong_ordering CompareNumbers(std::string_view a, std::string_view b) {
  const auto left = Whole<int64_t>(a);
  const auto right = Whole<int64_t>(b);
  if (left && right) return *left <=> *right;
  const double x = Whole<double>(a).value_or(0);
  const double y = Whole<double>(b).value_or(0);
  if (x < y) return std::strong_ordering::less;
  return x > y ? std::strong_ordering::greater : a <=> b;
}

std::strong_ordering CompareKeys(std::string_view a, std::string_view b) {
  const std::vector<KeyMember> left = MembersOf(a);
  const std::vector<KeyMember> right = MembersOf(b);
  for (size_t i = 0; i < left.size() && i < right.size(); ++i) {
    if (const auto names = left[i].first <=> right[i].first; names != 0) return names;
    if (const auto values = CompareScalars(left[i].second, right[i].second); values != 0) {
      return values;
    }
  }
  if (const auto sizes = left.size() <=> right.size(); sizes != 0) return sizes;
  return a <=> b;
}

// How many bytes both begin with. Names in a list often differ in the last ones only.
size_t CommonBytes(std::string_view a, std::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  size_t i = 0;
  while (i + sizeof(uint64_t) <= size &&
         std::memcmp(a.data() + i, b.data() + i, sizeof(uint64_t)) == 0) {
    i += sizeof(uint64_t);
  }
  while (i < size && a[i] == b[i]) ++i;
  return i;
}

// The order of two JSON texts if it is visible without parsing: both are equal up to the middle of
// a string without escapes. A string that ends is less than a longer one.
std::optional<std::strong_ordering> OrderInString(std::string_view a, std::string_view b) {
  const size_t i = CommonBytes(a, b);
  const std::string_view common = a.substr(0, i);
  if (common.contains('\\')) return std::nullopt;
  bool is_in_string = false;
  for (size_t quote = common.find('"'); quote != std::string_view::npos;
       quote = common.find('"', quote + 1)) {
    is_in_string = !is_in_string;
  }
  if (!is_in_string || i == a.size() || i == b.size() || a[i] == '\\' || b[i] == '\\')
    return std::nullopt;
  if (a[i] == '"') return std::strong_ordering::less;
  if (b[i] == '"') return std::strong_ordering::greater;
  return static_cast<unsigned char>(a[i]) <=> static_cast<unsigned char>(b[i]);
}

std::string ReadableScalar(std::string_view json) {
  return json.starts_with('"') ? GoQuote(TextOf(json)) : std::string(json);
}

}  // namespace

std::strong_ordering CompareScalars(std::string_view a, std::string_view b) {
  const int rank = RankOf(a);
  if (const auto ranks = rank <=> RankOf(b); ranks != 0) return ranks;
  if (rank == 0) return CompareNumbers(a, b);
  if (rank == 1) return TextOf(a) <=> TextOf(b);
  return a <=> b;
}

PathElement PathElement::Of(char letter, std::string_view rest) {
  std::string text;
  text.reserve(2 + rest.size());
  text += letter;
  text += ':';
  text += rest;
  return PathElement(std::move(text));
}

PathElement PathElement::OfField(std::string_view name) {
  return Of('f', name);
}

PathElement PathElement::OfKey(std::vector<KeyMember> members) {
  std::ranges::sort(members, {}, &KeyMember::first);
  std::string text = "k:{";
  for (const auto& [name, value] : members) {
    if (text.size() > 3) text += ',';
    AppendQuoted(name, text);
    text.append(":").append(value);
  }
  text += '}';
  return PathElement(std::move(text));
}

PathElement PathElement::OfSortedKey(std::string_view object) {
  return Of('k', object);
}

PathElement PathElement::OfValue(std::string_view json) {
  return Of('v', json);
}

PathElement PathElement::OfIndex(size_t index) {
  return PathElement(fmt::format("i:{}", index));
}

Result<std::optional<PathElement>> PathElement::Parse(std::string_view text) {
  if (text.size() < 2) return Fail(StatusReason::kBadRequest, "key must be 2 characters long:");
  if (text[1] != ':') {
    return Fail(StatusReason::kBadRequest, fmt::format("missing colon: {}", text));
  }
  const std::string_view rest = text.substr(2);
  JsonReader reader(rest);
  switch (text[0]) {
    case 'f': return OfField(rest);
    case 'v': {
      const std::string value = NextValue(reader);
      if (!reader.Finish()) return Fail(reader.error());
      return OfValue(value);
    }
    case 'k': {
      std::vector<KeyMember> members = MembersOf(reader);
      if (!reader.Finish()) return Fail(reader.error());
      return OfKey(std::move(members));
    }
    case 'i': {
      const auto index = Whole<int64_t>(rest);
      if (!index || *index < 0) {
        return Fail(StatusReason::kBadRequest, fmt::format("no index: {}", text));
      }
      return OfIndex(static_cast<size_t>(*index));
    }
    default: return std::nullopt;
  }
}

PathElement::Kind PathElement::kind() const {
  switch (text_.front()) {
    case 'f': return Kind::kField;
    case 'k': return Kind::kKey;
    case 'v': return Kind::kValue;
    default: return Kind::kIndex;
  }
}

std::string PathElement::Readable() const {
  switch (kind()) {
    case Kind::kField: return fmt::format(".{}", name());
    case Kind::kKey: {
      std::string out;
      for (const auto& [member, value] : MembersOf(name())) {
        out += fmt::format("{}{}={}", out.empty() ? "" : ",", member, ReadableScalar(value));
      }
      return fmt::format("[{}]", out);
    }
    case Kind::kValue: return fmt::format("[={}]", ReadableScalar(name()));
    case Kind::kIndex: return fmt::format("[{}]", name());
  }
  return {};
}

std::strong_ordering PathElement::operator<=>(const PathElement& other) const {
  if (const auto kinds = kind() <=> other.kind(); kinds != 0) return kinds;
  if (kind() == Kind::kField) return text_ <=> other.text_;
  if (kind() == Kind::kIndex) return CompareNumbers(name(), other.name());
  if (text_ == other.text_) return std::strong_ordering::equal;
  if (const auto order = OrderInString(text_, other.text_)) return *order;
  return kind() == Kind::kKey ? CompareKeys(name(), other.name())
                              : CompareScalars(name(), other.name());
}

std::string Readable(const Path& path) {
  std::string text;
  for (const PathElement& element : path) text += element.Readable();
  return text;
}

}  // namespace dray::api::managed_fields
