// SPDX-License-Identifier: Apache-2.0
#include "cel/eval/json_values.h"

#include <cstdint>
#include <span>

#include <fmt/format.h>

#include "base/text/base64.h"
#include "cel/eval/conversion_problem.h"
#include "cel/library/times.h"
#include "cel/value/make.h"

namespace dray::cel::eval {
namespace {

// What is deeper is no part of an object that can be stored.
constexpr size_t kDepthMax = 1'000;

class Converter {
 public:
  explicit Converter(Arena& arena) : arena_(arena) {}

  Value ToJson(const Value& value) {
    arena_.work().Charge(8);
    if (arena_.work().is_spent()) return Value::Error("operation cancelled");
    constexpr int64_t kExactMax = (int64_t{1} << 53) - 1;
    switch (value.kind()) {
      case ValueKind::kNull:
      case ValueKind::kBool:
      case ValueKind::kDouble:
      case ValueKind::kString: return value;
      case ValueKind::kInt: {
        const int64_t number = value.integer();
        if (number >= -kExactMax && number <= kExactMax) {
          return Value::Double(static_cast<double>(number));
        }
        return MakeString(arena_, fmt::format("{}", number));
      }
      case ValueKind::kUint: {
        const uint64_t number = value.unsigned_integer();
        if (number <= uint64_t{kExactMax}) return Value::Double(static_cast<double>(number));
        return MakeString(arena_, fmt::format("{}", number));
      }
      case ValueKind::kBytes: return MakeBase64(value.text());
      case ValueKind::kTimestamp:
        return MakeString(arena_, library::TimestampText(value.timestamp()));
      case ValueKind::kDuration:
        return MakeString(arena_, library::DurationText(value.nanoseconds()));
      case ValueKind::kList:
      case ValueKind::kMap: return Inside(value);
      case ValueKind::kOptional:
        if (value.optional() != nullptr) return Inside(value);
        break;
      case ValueKind::kError:
      case ValueKind::kType:
      case ValueKind::kQuantity:
      case ValueKind::kSemver:
      case ValueKind::kUrl:
      case ValueKind::kIp:
      case ValueKind::kCidr:
      case ValueKind::kFormat:
      case ValueKind::kAuthorization: break;
    }
    return MakeError(arena_, ConversionProblem(value, kGoJsonValue));
  }

 private:
  Value MakeBase64(std::string_view bytes) {
    arena_.work().Charge(WorkOfReading(4 * bytes.size()));
    return MakeString(arena_, EncodeBase64(bytes));
  }

  // A list, map, or optional with a value.
  Value Inside(const Value& value) {
    if (depth_ == kDepthMax) return Value::Error("exceeded max depth");
    ++depth_;
    const Value json = value.is(ValueKind::kList)  ? JsonList(value.list())
                       : value.is(ValueKind::kMap) ? JsonMap(value.map())
                                                   : ToJson(*value.optional());
    --depth_;
    return json;
  }

  Value JsonList(const List& list) {
    ValueBuffer items(arena_);
    for (const Value& item : list.items()) {
      const Value json = ToJson(item);
      if (json.is_error()) return json;
      items.Add(json);
    }
    return AdoptList(arena_, items.items());
  }

  Value JsonMap(const Map& map) {
    const std::span<MapEntry> entries = arena_.NewEntries(map.entries().size());
    for (size_t i = 0; i < entries.size(); ++i) {
      const MapEntry& entry = map.entries()[i];
      if (!entry.key.is(ValueKind::kString)) {
        return MakeError(arena_, ConversionProblem(entry.key, "string"));
      }
      entries[i] = {.key = entry.key, .value = ToJson(entry.value)};
      if (entries[i].value.is_error()) return entries[i].value;
    }
    return MakeMap(arena_, entries);
  }

  Arena& arena_;
  size_t depth_ = 0;
};

}  // namespace

Value JsonValueOf(Arena& arena, const Value& value) {
  return Converter(arena).ToJson(value);
}

}  // namespace dray::cel::eval
