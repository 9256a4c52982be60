// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/cel_values.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "api/value/quantity.h"
#include "base/check.h"
#include "base/text/base64.h"
#include "base/try.h"
#include "cel/library/registry.h"
#include "cel/value/make.h"
#include "cel/value/named_format.h"
#include "tests/vectors/case_files.h"

namespace dray::vectors {
namespace {

namespace json = boost::json;
using cel::Value;
using cel::ValueKind;

constexpr int64_t kNanosPerSecond = 1'000'000'000;
std::string DoubleText(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return fmt::format("{}", number);
}

// `number` in units of 10^-digits without trailing zeros: (1500, 3) is "1.5".
std::string WithFraction(uint64_t number, int digits) {
  uint64_t unit = 1;
  for (int i = 0; i < digits; ++i) unit *= 10;
  std::string text = fmt::format("{}.{:0{}}", number / unit, number % unit, digits);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// 1h30m0s, 1.5s, 100ms, 1µs, 0s.
std::string DurationText(int64_t nanoseconds) {
  const std::string sign = nanoseconds < 0 ? "-" : "";
  const auto left =
      nanoseconds < 0 ? -static_cast<uint64_t>(nanoseconds) : static_cast<uint64_t>(nanoseconds);
  if (left == 0) return "0s";
  if (left < 1'000) return fmt::format("{}{}ns", sign, left);
  if (left < 1'000'000) return fmt::format("{}{}µs", sign, WithFraction(left, 3));
  if (left < kNanosPerSecond) return fmt::format("{}{}ms", sign, WithFraction(left, 6));
  constexpr uint64_t kNanosPerMinute = 60 * kNanosPerSecond;
  const uint64_t minutes = left / kNanosPerMinute;
  const std::string seconds = WithFraction(left % kNanosPerMinute, 9);
  if (minutes == 0) return fmt::format("{}{}s", sign, seconds);
  if (minutes < 60) return fmt::format("{}{}m{}s", sign, minutes, seconds);
  return fmt::format("{}{}h{}m{}s", sign, minutes / 60, minutes % 60, seconds);
}

std::string TimestampText(const cel::Timestamp& time) {
  const std::chrono::sys_seconds at{std::chrono::seconds(time.seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(at - day);
  std::string fraction;
  if (time.nanoseconds != 0) {
    fraction = WithFraction(static_cast<uint64_t>(time.nanoseconds), 9).substr(1);
  }
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}Z",
                     static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()),
                     clock.hours().count(),
                     clock.minutes().count(),
                     clock.seconds().count(),
                     fraction);
}

json::value TaggedTime(std::string_view type, std::string text, int64_t seconds, int64_t nanos) {
  return json::object{{"type", type},
                      {"value", std::move(text)},
                      {"seconds", std::to_string(seconds)},
                      {"nanos", nanos}};
}

// The result of string() for an address.
std::string AddressText(const Value& address) {
  const cel::library::Builtin* const convert = cel::library::FindBuiltin("string", {});
  DRAY_CHECK(convert != nullptr);
  cel::Arena arena;
  return std::string(convert->call(arena, {&address, 1}).text());
}

json::array TaggedItems(const cel::List& list) {
  json::array items;
  for (const Value& item : list.items()) items.push_back(Tagged(item));
  return items;
}

json::array TaggedEntries(const cel::Map& map) {
  json::array entries;
  for (const cel::MapEntry& entry : map.entries()) {
    entries.push_back(json::array{Tagged(entry.key), Tagged(entry.value)});
  }
  return entries;
}

json::object TaggedOptional(const Value* inside) {
  json::object out{{"type", "optional"}};
  if (inside != nullptr) out["value"] = Tagged(*inside);
  return out;
}

json::object TaggedText(std::string_view type, std::string_view text) {
  return {{"type", type}, {"value", text}};
}

// Also of the smallest numbers, which std::stod refuses.
double ReadDouble(std::string_view text) {
  return std::strtod(std::string(text).c_str(), nullptr);
}

bool SameDouble(std::string_view got, std::string_view want) {
  const double a = ReadDouble(got);
  const double b = ReadDouble(want);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

// Compares by text first, because a sum may be larger than any text with a binary suffix that can
// be read.
bool SameQuantity(std::string_view got, std::string_view want) {
  if (got == want) return true;
  const auto a = api::Quantity::Parse(got);
  const auto b = api::Quantity::Parse(want);
  return a && b && *a == *b;
}

bool SameItems(const json::array& got, const json::array& want) {
  return std::ranges::equal(got, want, SameTagged);
}

bool SameEntry(const json::value& got, const json::value& want) {
  return SameItems(got.as_array(), want.as_array());
}

bool SameTime(const json::object& got, const json::object& want) {
  if (!want.contains("seconds")) return TextOf(got, "value") == TextOf(want, "value");
  return TextOf(got, "seconds") == TextOf(want, "seconds") &&
         got.at("nanos").to_number<int64_t>() == want.at("nanos").to_number<int64_t>();
}

Result<Value> ReadList(const json::object& tagged, cel::Arena& arena) {
  std::vector<Value> items;
  for (const json::value& item : ListOf(tagged, "value")) {
    DRAY_TRY(const Value value, ReadTagged(item.as_object(), arena));
    items.push_back(value);
  }
  return cel::MakeList(arena, items);
}

Result<Value> ReadMap(const json::object& tagged, cel::Arena& arena) {
  std::vector<cel::MapEntry> entries;
  for (const json::value& pair : ListOf(tagged, "value")) {
    DRAY_TRY(const Value key, ReadTagged(pair.at(0).as_object(), arena));
    DRAY_TRY(const Value value, ReadTagged(pair.at(1).as_object(), arena));
    entries.push_back({key, value});
  }
  return cel::MakeMap(arena, entries);
}

Value ReadTime(const json::object& tagged, cel::Arena& arena) {
  const int64_t seconds = std::stoll(std::string(TextOf(tagged, "seconds")));
  const auto nanos = tagged.at("nanos").to_number<int32_t>();
  if (TextOf(tagged, "type") == "duration")
    return Value::Duration(seconds * kNanosPerSecond + nanos);
  return Value::Timestamp(
      arena.Keep(cel::Timestamp{.seconds = seconds, .nanoseconds = nanos, .offset_seconds = 0}));
}

}  // namespace

json::value Tagged(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kError: return TaggedText("error", value.text());
    case ValueKind::kNull: return json::object{{"type", "null"}};
    case ValueKind::kBool: return json::object{{"type", "bool"}, {"value", value.boolean()}};
    case ValueKind::kInt: return TaggedText("int", std::to_string(value.integer()));
    case ValueKind::kUint: return TaggedText("uint", std::to_string(value.unsigned_integer()));
    case ValueKind::kDouble: return TaggedText("double", DoubleText(value.number()));
    case ValueKind::kString: return TaggedText("string", value.text());
    case ValueKind::kBytes: return TaggedText("bytes", EncodeBase64(value.text()));
    case ValueKind::kList:
      return json::object{{"type", "list"}, {"value", TaggedItems(value.list())}};
    case ValueKind::kMap:
      return json::object{{"type", "map"}, {"value", TaggedEntries(value.map())}};
    case ValueKind::kType: return TaggedText("type", value.text());
    case ValueKind::kOptional: return TaggedOptional(value.optional());
    case ValueKind::kTimestamp:
      return TaggedTime("timestamp",
                        TimestampText(value.timestamp()),
                        value.timestamp().seconds,
                        value.timestamp().nanoseconds);
    case ValueKind::kDuration:
      return TaggedTime("duration",
                        DurationText(value.nanoseconds()),
                        value.nanoseconds() / kNanosPerSecond,
                        value.nanoseconds() % kNanosPerSecond);
    case ValueKind::kQuantity: return TaggedText("quantity", value.quantity().ToString());
    case ValueKind::kSemver: return TaggedText("kubernetes.Semver", value.semver().ToString());
    case ValueKind::kUrl: return TaggedText("kubernetes.URL", value.url().text);
    case ValueKind::kIp: return TaggedText("net.IP", AddressText(value));
    case ValueKind::kCidr: return TaggedText("net.CIDR", AddressText(value));
    case ValueKind::kFormat: return TaggedText("kubernetes.NamedFormat", value.format().shown);
    case ValueKind::kAuthorization: break;  // no vector has an authorizer
  }
  return {};
}

bool SameTagged(const json::value& got, const json::value& want) {
  const json::object& a = got.as_object();
  const json::object& b = want.as_object();
  const std::string_view type = TextOf(b, "type");
  if (TextOf(a, "type") != type || a.contains("value") != b.contains("value")) return false;
  if (!b.contains("value")) return true;
  if (type == "double") return SameDouble(TextOf(a, "value"), TextOf(b, "value"));
  if (type == "quantity") return SameQuantity(TextOf(a, "value"), TextOf(b, "value"));
  if (type == "list") return SameItems(ListOf(a, "value"), ListOf(b, "value"));
  if (type == "map") {
    return std::ranges::is_permutation(ListOf(a, "value"), ListOf(b, "value"), SameEntry);
  }
  if (type == "optional") return SameTagged(a.at("value"), b.at("value"));
  if (type == "timestamp" || type == "duration") return SameTime(a, b);
  return a.at("value") == b.at("value");
}

bool SameElements(const json::value& got, const json::value& want) {
  return TextOf(got.as_object(), "type") == TextOf(want.as_object(), "type") &&
         std::ranges::is_permutation(
             ListOf(got.as_object(), "value"), ListOf(want.as_object(), "value"), SameTagged);
}

Result<Value> ReadTagged(const json::object& tagged, cel::Arena& arena) {
  const std::string_view type = TextOf(tagged, "type");
  const std::string text(TextOf(tagged, "value"));
  if (type == "null") return Value();
  if (type == "bool") return Value::Bool(tagged.at("value").as_bool());
  if (type == "int") return Value::Int(std::stoll(text));
  if (type == "uint") return Value::Uint(std::stoull(text));
  if (type == "double") return Value::Double(ReadDouble(text));
  if (type == "string") return cel::MakeString(arena, text);
  if (type == "bytes") return Value::Bytes(arena.Copy(DecodeBase64(text).value_or("")));
  if (type == "type") return Value::Type(arena.Copy(text));
  if (type == "list") return ReadList(tagged, arena);
  if (type == "map") return ReadMap(tagged, arena);
  if ((type == "timestamp" || type == "duration") && tagged.contains("seconds")) {
    return ReadTime(tagged, arena);
  }
  return Fail(StatusReason::kBadRequest, fmt::format("no variable has type {}", type));
}

}  // namespace dray::vectors
