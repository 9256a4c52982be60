// SPDX-License-Identifier: Apache-2.0
// Functions of strings: the core ones and version 2 of the strings extension. Positions count code
// points.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "api/value/time.h"
#include "cel/library/builtin.h"
#include "cel/library/go_numbers.h"
#include "cel/library/tables.h"
#include "cel/library/text_search.h"
#include "cel/syntax/utf8.h"
#include "cel/value/arena.h"
#include "cel/value/equality.h"
#include "cel/value/make.h"
#include "cel/value/value.h"

namespace dray::cel::library {
namespace {

using Arguments = std::span<const Value>;

bool AreStrings(Arguments arguments) {
  return std::ranges::all_of(arguments, [](const Value& a) { return a.is(ValueKind::kString); });
}

// Cost of each part of a text that is found and copied.
constexpr uint64_t kWorkOfPart = 24;

Value OutOfRange(Arena& arena, int64_t index) {
  return MakeError(arena, fmt::format("index out of range: {}", index));
}

Value Contains(Arena& arena, Arguments arguments) {
  if (!AreStrings(arguments)) return NoSuchOverload();
  const std::string_view text = arguments[0].text();
  const std::string_view wanted = arguments[1].text();
  arena.work().Charge(WorkOfSearching(text, wanted));
  return Value::Bool(FindFirst(text, wanted) != std::string_view::npos);
}

Value StartsWith(Arena& arena, Arguments arguments) {
  if (!AreStrings(arguments)) return NoSuchOverload();
  arena.work().Charge(WorkOfComparing(arguments[0], arguments[1]));
  return Value::Bool(arguments[0].text().starts_with(arguments[1].text()));
}

Value EndsWith(Arena& arena, Arguments arguments) {
  if (!AreStrings(arguments)) return NoSuchOverload();
  arena.work().Charge(WorkOfComparing(arguments[0], arguments[1]));
  return Value::Bool(arguments[0].text().ends_with(arguments[1].text()));
}

Value Size(Arena& arena, Arguments arguments) {
  const Value& a = arguments[0];
  const auto count = [](size_t size) { return Value::Int(static_cast<int64_t>(size)); };
  if (a.is(ValueKind::kString)) {
    arena.work().Charge(WorkOfCounting(a.text()));
    return count(syntax::CountCodePoints(a.text()));
  }
  if (a.is(ValueKind::kBytes)) return count(a.text().size());
  if (a.is(ValueKind::kList)) return count(a.list().size());
  if (a.is(ValueKind::kMap)) return count(a.map().size());
  const bool has_methods = a.is(ValueKind::kTimestamp) || a.is(ValueKind::kDuration);
  return has_methods ? NoSuchOverload() : Value::Error("no such overload: size");
}

Value CharAt(Arena& arena, Arguments arguments) {
  const std::string_view text = arguments[0].text();
  const int64_t index = arguments[1].integer();
  arena.work().Charge(2 * WorkOfCounting(text));
  const auto length = static_cast<int64_t>(syntax::CountCodePoints(text));
  if (index < 0 || index > length) return OutOfRange(arena, index);
  const size_t at = syntax::OffsetOfCodePoint(text, static_cast<size_t>(index));
  return Value::String(at == text.size() ? ""
                                         : text.substr(at, syntax::DecodeUtf8(text, at).width));
}

Value Substring(Arena& arena, Arguments arguments) {
  const std::string_view text = arguments[0].text();
  arena.work().Charge(3 * WorkOfCounting(text));
  const auto length = static_cast<int64_t>(syntax::CountCodePoints(text));
  const int64_t start = arguments[1].integer();
  const int64_t end = arguments.size() > 2 ? arguments[2].integer() : length;
  if (arguments.size() > 2 && start > end) {
    return MakeError(arena, fmt::format("invalid substring range. start: {}, end: {}", start, end));
  }
  if (start < 0 || start > length) return OutOfRange(arena, start);
  if (end < 0 || end > length) return OutOfRange(arena, end);
  const size_t from = syntax::OffsetOfCodePoint(text, static_cast<size_t>(start));
  const size_t to = syntax::OffsetOfCodePoint(text, static_cast<size_t>(end));
  return Value::String(text.substr(from, to - from));
}

enum class End : uint8_t { kFirst, kLast };

Value ListIndexOf(const List& list, const Value& wanted, End end, Work& work) {
  const std::span<const Value> items = list.items();
  for (size_t i = 0; i < items.size() && !work.is_spent(); ++i) {
    const size_t place = end == End::kFirst ? i : items.size() - 1 - i;
    if (Equal(items[place], wanted, work).is_true()) return Value::Int(static_cast<int64_t>(place));
  }
  return Value::Int(-1);
}

Value CodePointIndex(std::string_view text, size_t offset) {
  if (offset == std::string_view::npos) return Value::Int(-1);
  return Value::Int(static_cast<int64_t>(syntax::CountCodePoints(text.substr(0, offset))));
}

// Where a search begins, in code points.
int64_t SearchStart(Arguments arguments, int64_t otherwise) {
  return arguments.size() > 2 ? arguments[2].integer() : otherwise;
}

// `empty_is_anywhere`: an empty text is found at whatever place the search begins, even outside of
// the text.
template <bool empty_is_anywhere>
Value IndexOf(Arena& arena, Arguments arguments) {
  if (arguments[0].is(ValueKind::kList)) {
    return ListIndexOf(arguments[0].list(), arguments[1], End::kFirst, arena.work());
  }
  const std::string_view text = arguments[0].text();
  const std::string_view needle = arguments[1].text();
  arena.work().Charge(3 * WorkOfCounting(text) + WorkOfSearching(text, needle));
  const int64_t start = SearchStart(arguments, 0);
  if (empty_is_anywhere && needle.empty()) return Value::Int(start);
  if (start < 0) return OutOfRange(arena, start);
  const auto length = static_cast<int64_t>(syntax::CountCodePoints(text));
  if (needle.empty()) return Value::Int(std::min(start, length));
  if (start >= length) return Value::Int(-1);
  return CodePointIndex(
      text, FindFirst(text, needle, syntax::OffsetOfCodePoint(text, static_cast<size_t>(start))));
}

template <bool empty_is_anywhere>
Value LastIndexOf(Arena& arena, Arguments arguments) {
  if (arguments[0].is(ValueKind::kList)) {
    return ListIndexOf(arguments[0].list(), arguments[1], End::kLast, arena.work());
  }
  const std::string_view text = arguments[0].text();
  const std::string_view needle = arguments[1].text();
  arena.work().Charge(3 * WorkOfCounting(text) + 4 * WorkOfSearching(text, needle));
  const auto length = static_cast<int64_t>(syntax::CountCodePoints(text));
  if (arguments.size() == 2) {
    return needle.empty() ? Value::Int(length) : CodePointIndex(text, FindLast(text, needle));
  }
  const int64_t start = arguments[2].integer();
  if (empty_is_anywhere && needle.empty()) return Value::Int(start);
  if (start < 0) return OutOfRange(arena, start);
  if (needle.empty()) return Value::Int(std::min(start, length));
  if (start >= length) return Value::Int(-1);
  return CodePointIndex(
      text, FindLast(text, needle, syntax::OffsetOfCodePoint(text, static_cast<size_t>(start))));
}

template <char first, char last, int shift>
Value ShiftLetters(Arena& arena, Arguments arguments) {
  const std::string_view text = arguments[0].text();
  arena.work().Charge(WorkOfReading(text.size() / 2));
  const std::span<char> out = arena.NewText(text.size());
  std::ranges::transform(text, out.begin(), [](char c) {
    return c >= first && c <= last ? static_cast<char>(c + shift) : c;
  });
  return Value::String({out.data(), out.size()});
}

// Calls take(offset) where `old` occurs, at most `limit` times; an empty text occurs before each
// character and at the end.
template <class Take>
void ForEachOccurrence(std::string_view text, std::string_view old, size_t limit, Take take) {
  size_t found = 0;
  if (!old.empty()) {
    size_t at = FindFirst(text, old);
    for (; at != std::string_view::npos && found < limit; ++found) {
      take(at);
      at = FindFirst(text, old, at + old.size());
    }
    return;
  }
  for (size_t at = 0; found < limit; ++found) {
    take(at);
    if (at >= text.size()) break;
    at += syntax::DecodeUtf8(text, at).width;
  }
}

size_t Limit(Arguments arguments, size_t index) {
  if (arguments.size() <= index || arguments[index].integer() < 0) return SIZE_MAX;
  return static_cast<size_t>(arguments[index].integer());
}

Value Replace(Arena& arena, Arguments arguments) {
  const std::string_view text = arguments[0].text();
  const std::string_view old = arguments[1].text();
  const std::string_view replacement = arguments[2].text();
  const size_t limit = Limit(arguments, 3);
  size_t count = 0;
  ForEachOccurrence(text, old, limit, [&count](size_t /*at*/) { ++count; });
  arena.work().Charge(2 * WorkOfSearching(text, old) + kWorkOfPart * count);
  // At most text.size() + 1 occurrences of a text below kStringBytesMax: no overflow.
  const size_t size = text.size() - count * old.size() + count * replacement.size();
  if (size > kStringBytesMax) return Value::Error("string too long");
  arena.work().Charge(WorkOfBytes(size));
  const std::span<char> out = arena.NewText(size);
  auto next = out.begin();
  size_t done = 0;
  ForEachOccurrence(text, old, limit, [&](size_t at) {
    next = std::ranges::copy(text.substr(done, at - done), next).out;
    next = std::ranges::copy(replacement, next).out;
    done = at + old.size();
  });
  std::ranges::copy(text.substr(done), next);
  return Value::String({out.data(), out.size()});
}

Value Split(Arena& arena, Arguments arguments) {
  const std::string_view text = arguments[0].text();
  const std::string_view separator = arguments[1].text();
  const size_t limit = Limit(arguments, 2);
  ValueBuffer parts(arena);
  size_t done = 0;
  while (limit > 0 && parts.size() + 1 < limit && parts.size() < kWeightMax) {
    size_t end = separator.empty() ? 0 : FindFirst(text, separator, done);
    if (separator.empty()) {
      end = done < text.size() ? done + syntax::DecodeUtf8(text, done).width : text.size();
      if (end >= text.size()) break;
    }
    if (end == std::string_view::npos) break;
    parts.Add(Value::String(text.substr(done, end - done)));
    done = end + separator.size();
  }
  arena.work().Charge(WorkOfSearching(text, separator) + kWorkOfPart * parts.size());
  const bool nothing = limit == 0 || (separator.empty() && text.empty());
  if (!nothing) parts.Add(Value::String(text.substr(done)));
  return AdoptList(arena, parts.items());
}

// As Go's fmt writes it; lists and objects only by their type.
std::string GoText(const Value& value) {
  if (value.is(ValueKind::kNull)) return "0";
  if (value.is(ValueKind::kBool)) return value.boolean() ? "true" : "false";
  if (value.is(ValueKind::kInt)) return fmt::to_string(value.integer());
  if (value.is(ValueKind::kUint)) return fmt::to_string(value.unsigned_integer());
  if (value.is(ValueKind::kDouble)) return ShortestText(value.number());
  if (value.is(ValueKind::kDuration)) {
    return api::Duration::FromNanos(value.nanoseconds()).ToString();
  }
  return std::string(TypeName(value));
}

Value NotString(Arena& arena, const Value& item) {
  return MakeError(arena, fmt::format("join: invalid input: {}", GoText(item)));
}

Value Join(Arena& arena, Arguments arguments) {
  const std::span<const Value> items = arguments[0].list().items();
  const std::string_view separator = arguments.size() > 1 ? arguments[1].text() : "";
  size_t size = items.empty() ? 0 : (items.size() - 1) * separator.size();
  for (const Value& item : items) {
    if (!item.is(ValueKind::kString)) return NotString(arena, item);
    size += item.text().size();
  }
  arena.work().Charge(2 * WorkOfItems(items.size()));
  if (size > kStringBytesMax) return Value::Error("string too long");
  arena.work().Charge(WorkOfBytes(size));
  const std::span<char> out = arena.NewText(size);
  auto next = out.begin();
  for (const Value& item : items) {
    if (&item != items.data()) next = std::ranges::copy(separator, next).out;
    next = std::ranges::copy(item.text(), next).out;
  }
  return Value::String({out.data(), out.size()});
}

// The Unicode property White_Space.
bool IsSpace(char32_t c) {
  return (c >= 0x9 && c <= 0xD) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

Value Trim(Arena& arena, Arguments arguments) {
  const std::string_view text = arguments[0].text();
  arena.work().Charge(WorkOfReading(2 * text.size()));
  std::optional<size_t> start;
  size_t end = 0;
  for (size_t at = 0; at < text.size();) {
    const syntax::CodePoint point = syntax::DecodeUtf8(text, at);
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
  arena.work().Charge(WorkOfReading(8 * text.size()));
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    const syntax::CodePoint point = syntax::DecodeUtf8(text, at);
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

// A key of an object as a step of a JSON pointer.
Value EscapeKey(Arena& arena, Arguments arguments) {
  if (!arguments[0].is(ValueKind::kString)) return NoSuchOverload();
  std::string out;
  for (const char c : arguments[0].text()) {
    if (c == '/') {
      out += "~1";
    } else if (c == '~') {
      out += "~0";
    } else {
      out += c;
    }
  }
  return MakeString(arena, out);
}

// Up to 1.36 startsWith and endsWith cost by the receiver, later by the argument.
constexpr auto kStringsBuiltins = std::to_array<Builtin>({
    {"charAt", CharAt},
    {"contains", Contains, CostRule::kContains, kOwn},
    {"endsWith", EndsWith, kTenth, kOwn, kUntil36},
    {"endsWith", EndsWith, CostRule::kAffix, kOwn, kSince37},
    {"indexOf", IndexOf<true>, kTraversal, kSignature, kUntil36, kSince32},
    {"indexOf", IndexOf<false>, kTraversal, kSignature, kSince37},
    {"jsonpatch.escapeKey", EscapeKey, CostRule::kOne, kOwn},
    {"join", Join, CostRule::kFifthOfResult, kSignature, {}, kSince32},
    {"lastIndexOf", LastIndexOf<true>, kTraversal, kSignature, kUntil36, kSince32},
    {"lastIndexOf", LastIndexOf<false>, kTraversal, kSignature, kSince37},
    {"lowerAscii", ShiftLetters<'A', 'Z', kToLower>, kTenth, kSignature, {}, kSince32},
    {"replace", Replace, kFifth, kSignature, {}, kSince32},
    {"size", Size, CostRule::kOne, kOwn},
    {"split", Split, kFifth, kSignature, {}, kSince32},
    {"startsWith", StartsWith, kTenth, kOwn, kUntil36},
    {"startsWith", StartsWith, CostRule::kAffix, kOwn, kSince37},
    {"strings.quote", Quote, kTenth},
    {"substring", Substring, kTenth, kSignature, {}, kSince32},
    {"trim", Trim, kTenth, kSignature, {}, kSince32},
    {"upperAscii", ShiftLetters<'a', 'z', -kToLower>, kTenth, kSignature, {}, kSince32},
});

}  // namespace

std::span<const Builtin> StringBuiltins() {
  return kStringsBuiltins;
}

}  // namespace dray::cel::library
