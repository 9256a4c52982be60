// SPDX-License-Identifier: Apache-2.0
// Functions of strings: the core ones and version 2 of the strings extension. Positions count code
// points.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cel/library/library.h"
#include "cel/syntax/utf8.h"

namespace dray::cel {
namespace {

using Arguments = std::span<const Value>;

bool AreStrings(Arguments arguments) {
  return std::ranges::all_of(arguments, [](const Value& a) { return a.is(ValueKind::kString); });
}

Value OutOfRange(Arena& arena, int64_t index) {
  return MakeError(arena, fmt::format("index out of range: {}", index));
}

Value Contains(Arena& /*arena*/, Arguments arguments) {
  if (!AreStrings(arguments)) return NoSuchOverload();
  return Value::Bool(arguments[0].text().contains(arguments[1].text()));
}

Value StartsWith(Arena& /*arena*/, Arguments arguments) {
  if (!AreStrings(arguments)) return NoSuchOverload();
  return Value::Bool(arguments[0].text().starts_with(arguments[1].text()));
}

Value EndsWith(Arena& /*arena*/, Arguments arguments) {
  if (!AreStrings(arguments)) return NoSuchOverload();
  return Value::Bool(arguments[0].text().ends_with(arguments[1].text()));
}

Value Size(Arena& /*arena*/, Arguments arguments) {
  const Value& a = arguments[0];
  const auto count = [](size_t size) { return Value::Int(static_cast<int64_t>(size)); };
  if (a.is(ValueKind::kString)) return count(CountCodePoints(a.text()));
  if (a.is(ValueKind::kBytes)) return count(a.text().size());
  if (a.is(ValueKind::kList)) return count(a.list().items.size());
  if (a.is(ValueKind::kMap)) return count(a.map().entries.size());
  return Value::Error("no such overload: size");
}

Value CharAt(Arena& arena, Arguments arguments) {
  const std::string_view text = arguments[0].text();
  const int64_t index = arguments[1].integer();
  const auto length = static_cast<int64_t>(CountCodePoints(text));
  if (index < 0 || index > length) return OutOfRange(arena, index);
  const size_t at = OffsetOfCodePoint(text, static_cast<size_t>(index));
  return Value::String(at == text.size() ? "" : text.substr(at, DecodeUtf8(text, at).width));
}

Value Substring(Arena& arena, Arguments arguments) {
  const std::string_view text = arguments[0].text();
  const auto length = static_cast<int64_t>(CountCodePoints(text));
  const int64_t start = arguments[1].integer();
  const int64_t end = arguments.size() > 2 ? arguments[2].integer() : length;
  if (arguments.size() > 2 && start > end) {
    return MakeError(arena, fmt::format("invalid substring range. start: {}, end: {}", start, end));
  }
  if (start < 0 || start > length) return OutOfRange(arena, start);
  if (end < 0 || end > length) return OutOfRange(arena, end);
  const size_t from = OffsetOfCodePoint(text, static_cast<size_t>(start));
  const size_t to = OffsetOfCodePoint(text, static_cast<size_t>(end));
  return Value::String(text.substr(from, to - from));
}

Value ListIndexOf(const List& list, const Value& wanted, bool last) {
  std::optional<size_t> found;
  for (size_t i = 0; i < list.items.size(); ++i) {
    if (found.has_value() && !last) break;
    if (Equal(list.items[i], wanted).is_true()) found = i;
  }
  return Value::Int(found.has_value() ? static_cast<int64_t>(*found) : -1);
}

Value CodePointIndex(std::string_view text, size_t offset) {
  if (offset == std::string_view::npos) return Value::Int(-1);
  return Value::Int(static_cast<int64_t>(CountCodePoints(text.substr(0, offset))));
}

Value IndexOf(Arena& arena, Arguments arguments) {
  if (arguments[0].is(ValueKind::kList)) {
    return ListIndexOf(arguments[0].list(), arguments[1], /*last=*/false);
  }
  const std::string_view text = arguments[0].text();
  const std::string_view needle = arguments[1].text();
  const int64_t start = arguments.size() > 2 ? arguments[2].integer() : 0;
  if (start < 0) return OutOfRange(arena, start);
  const auto length = static_cast<int64_t>(CountCodePoints(text));
  if (needle.empty()) return Value::Int(std::min(start, length));
  if (start >= length) return Value::Int(-1);
  return CodePointIndex(text,
                        text.find(needle, OffsetOfCodePoint(text, static_cast<size_t>(start))));
}

Value LastIndexOf(Arena& arena, Arguments arguments) {
  if (arguments[0].is(ValueKind::kList)) {
    return ListIndexOf(arguments[0].list(), arguments[1], /*last=*/true);
  }
  const std::string_view text = arguments[0].text();
  const std::string_view needle = arguments[1].text();
  const auto length = static_cast<int64_t>(CountCodePoints(text));
  const int64_t start = arguments.size() > 2 ? arguments[2].integer() : length;
  if (start < 0) return OutOfRange(arena, start);
  if (needle.empty()) return Value::Int(std::min(start, length));
  if (start > length) return Value::Int(-1);
  return CodePointIndex(text,
                        text.rfind(needle, OffsetOfCodePoint(text, static_cast<size_t>(start))));
}

template <char first, char last, int shift>
Value ShiftLetters(Arena& arena, Arguments arguments) {
  std::string text(arguments[0].text());
  for (char& c : text) {
    if (c >= first && c <= last) c = static_cast<char>(c + shift);
  }
  return MakeString(arena, text);
}

// Where `old` occurs, at most `limit` times; an empty text occurs before each character and at the
// end.
std::vector<size_t> Occurrences(std::string_view text, std::string_view old, size_t limit) {
  std::vector<size_t> places;
  if (!old.empty()) {
    size_t at = text.find(old);
    for (; at != std::string_view::npos && places.size() < limit; at = text.find(old, at)) {
      places.push_back(at);
      at += old.size();
    }
    return places;
  }
  for (size_t at = 0; places.size() < limit; at += DecodeUtf8(text, at).width) {
    places.push_back(at);
    if (at >= text.size()) break;
  }
  return places;
}

size_t Limit(Arguments arguments, size_t index) {
  if (arguments.size() <= index || arguments[index].integer() < 0) return SIZE_MAX;
  return static_cast<size_t>(arguments[index].integer());
}

Value Replace(Arena& arena, Arguments arguments) {
  const std::string_view text = arguments[0].text();
  const std::string_view old = arguments[1].text();
  const std::string_view replacement = arguments[2].text();
  const std::vector<size_t> places = Occurrences(text, old, Limit(arguments, 3));
  if (places.size() * replacement.size() > kStringBytesMax) return Value::Error("string too long");
  std::string out;
  size_t done = 0;
  for (const size_t place : places) {
    out += text.substr(done, place - done);
    out += replacement;
    done = place + old.size();
  }
  out += text.substr(done);
  return MakeString(arena, out);
}

Value Split(Arena& arena, Arguments arguments) {
  const std::string_view text = arguments[0].text();
  const std::string_view separator = arguments[1].text();
  const size_t limit = Limit(arguments, 2);
  std::vector<Value> parts;
  size_t done = 0;
  while (limit > 0 && parts.size() + 1 < limit) {
    size_t end = text.find(separator, done);
    if (separator.empty()) {
      end = done < text.size() ? done + DecodeUtf8(text, done).width : text.size();
      if (end >= text.size()) break;
    }
    if (end == std::string_view::npos) break;
    parts.push_back(Value::String(text.substr(done, end - done)));
    done = end + separator.size();
  }
  const bool nothing = limit == 0 || (separator.empty() && text.empty());
  if (!nothing) parts.push_back(Value::String(text.substr(done)));
  return MakeList(arena, parts);
}

Value Join(Arena& arena, Arguments arguments) {
  const std::string_view separator = arguments.size() > 1 ? arguments[1].text() : "";
  std::string out;
  bool first = true;
  for (const Value& item : arguments[0].list().items) {
    if (!item.is(ValueKind::kString)) return NoSuchOverload();
    if (!first) out += separator;
    first = false;
    out += item.text();
    if (out.size() > kStringBytesMax) return Value::Error("string too long");
  }
  return MakeString(arena, out);
}

// The Unicode property White_Space.
bool IsSpace(char32_t c) {
  return (c >= 0x9 && c <= 0xD) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

Value Trim(Arena& /*arena*/, Arguments arguments) {
  const std::string_view text = arguments[0].text();
  std::optional<size_t> start;
  size_t end = 0;
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = DecodeUtf8(text, at);
    if (!point.valid || !IsSpace(point.value)) {
      if (!start.has_value()) start = at;
      end = at + point.width;
    }
    at += point.width;
  }
  return Value::String(start.has_value() ? text.substr(*start, end - *start) : "");
}

Value Quote(Arena& arena, Arguments arguments) {
  static constexpr std::string_view kSpecial = "\a\b\f\n\r\t\v\\\"";
  static constexpr std::string_view kLetters = "abfnrtv\\\"";
  const std::string_view text = arguments[0].text();
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = DecodeUtf8(text, at);
    const size_t special = kSpecial.find(text[at]);
    if (!point.valid) {
      out += "\uFFFD";
    } else if (special != std::string_view::npos) {
      out += '\\';
      out += kLetters[special];
    } else {
      out += text.substr(at, point.width);
    }
    at += point.width;
  }
  return MakeString(arena, out + '"');
}

constexpr int kToLower = 'a' - 'A';
constexpr WrongTypes kOwn = WrongTypes::kOwn;

constexpr auto kBuiltins = std::to_array<Builtin>({
    {"charAt", CharAt},
    {"contains", Contains, CostRule::kContains, kOwn},
    {"endsWith", EndsWith, CostRule::kAffix, kOwn},
    {"indexOf", IndexOf, CostRule::kTraversal},
    {"join", Join, CostRule::kFifthOfResult},
    {"lastIndexOf", LastIndexOf, CostRule::kTraversal},
    {"lowerAscii", ShiftLetters<'A', 'Z', kToLower>, CostRule::kTenth},
    {"replace", Replace, CostRule::kFifth},
    {"size", Size, CostRule::kOne, kOwn},
    {"split", Split, CostRule::kFifth},
    {"startsWith", StartsWith, CostRule::kAffix, kOwn},
    {"strings.quote", Quote, CostRule::kTenth},
    {"substring", Substring, CostRule::kTenth},
    {"trim", Trim, CostRule::kTenth},
    {"upperAscii", ShiftLetters<'a', 'z', -kToLower>, CostRule::kTenth},
});

}  // namespace

std::span<const Builtin> StringBuiltins() {
  return kBuiltins;
}

}  // namespace dray::cel
