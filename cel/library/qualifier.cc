// SPDX-License-Identifier: Apache-2.0
#include "cel/library/qualifier.h"

#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cel/library/go_numbers.h"
#include "cel/value/made_object.h"
#include "cel/value/make.h"

namespace dray::cel::library {
namespace {

LookupResult ErrorLookup(Arena& arena, std::string_view message) {
  return {MakeError(arena, message), true};
}

LookupResult AtIndex(const List& list, int64_t index, LookupResult out_of_bounds) {
  if (index < 0 || std::cmp_greater_equal(index, list.size())) return out_of_bounds;
  return {list.At(static_cast<size_t>(index)), true};
}

}  // namespace

std::string KeyText(const Value& key) {
  switch (key.kind()) {
    case ValueKind::kString: return std::string(key.text());
    case ValueKind::kInt: return fmt::format("{}", key.integer());
    case ValueKind::kUint: return fmt::format("{}", key.unsigned_integer());
    case ValueKind::kDouble: return ShortestText(key.number());
    case ValueKind::kBool: return key.boolean() ? "true" : "false";
    case ValueKind::kError:
    case ValueKind::kNull:
    case ValueKind::kBytes:
    case ValueKind::kList:
    case ValueKind::kMap:
    case ValueKind::kType:
    case ValueKind::kOptional:
    case ValueKind::kQuantity:
    case ValueKind::kTimestamp:
    case ValueKind::kDuration:
    case ValueKind::kUrl:
    case ValueKind::kIp:
    case ValueKind::kCidr:
    case ValueKind::kFormat:
    case ValueKind::kAuthorization:
    case ValueKind::kSemver: break;
  }
  return std::string(TypeName(key));
}

LookupResult LookUp(Arena& arena, const Value& container, const Value& key) {
  if (!IsScalarKey(key.kind())) {
    return ErrorLookup(arena, fmt::format("invalid qualifier type: {}", GoTypeName(key)));
  }
  if (container.is(ValueKind::kMap)) {
    const Value* const found = container.map().Find(key);
    return found != nullptr ? LookupResult{*found, true} : LookupResult{};
  }
  if (!container.is(ValueKind::kList)) return {};
  const List& list = container.list();
  if (key.is(ValueKind::kInt)) return AtIndex(list, key.integer(), {});
  if (key.is(ValueKind::kUint)) {
    if (!std::in_range<int64_t>(key.unsigned_integer())) {
      return ErrorLookup(arena, fmt::format("unsupported index value {} in list", KeyText(key)));
    }
    return AtIndex(list, static_cast<int64_t>(key.unsigned_integer()), {});
  }
  if (key.is(ValueKind::kDouble)) {
    constexpr double kIndexMax = 4503599627370496.0;  // beyond it doubles are not exact
    const bool whole = key.number() == std::trunc(key.number());
    if (!whole || std::abs(key.number()) > kIndexMax) {
      return ErrorLookup(arena, fmt::format("unsupported index value {} in list", KeyText(key)));
    }
    return AtIndex(list, static_cast<int64_t>(key.number()), {});
  }
  return ErrorLookup(arena, fmt::format("unsupported index type '{}' in list", TypeName(key)));
}

Value MissingPart(Arena& arena, const Value& container, const Value& key) {
  if (const MadeObject* const made = MadeObjectOf(container)) return made->absent();
  if (container.is(ValueKind::kList)) {
    return MakeError(arena, "index out of bounds: " + KeyText(key));
  }
  return MakeError(arena, "no such key: " + KeyText(key));
}

}  // namespace dray::cel::library
