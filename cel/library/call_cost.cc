// SPDX-License-Identifier: Apache-2.0
#include "cel/library/call_cost.h"

#include <algorithm>

#include "cel/library/text_search.h"
#include "cel/syntax/utf8.h"
#include "cel/value/named_format.h"

namespace dray::cel::library {

using check::TypeKind;

namespace {

constexpr uint64_t kAuthorizationCost = 350'000;
constexpr uint64_t kListCallBase = 11;  // the call and the list it makes

uint64_t SizeOf(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kString: return syntax::CountCodePoints(value.text());
    case ValueKind::kBytes: return value.text().size();
    case ValueKind::kList: return value.list().size();
    case ValueKind::kMap: return value.map().size();
    case ValueKind::kOptional: return value.optional() != nullptr ? SizeOf(*value.optional()) : 1;
    case ValueKind::kIp: return static_cast<uint64_t>(value.ip().size());
    case ValueKind::kCidr: return static_cast<uint64_t>(value.cidr().bits + 7) / 8;
    case ValueKind::kError:
    case ValueKind::kNull:
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
    case ValueKind::kType:
    case ValueKind::kQuantity:
    case ValueKind::kTimestamp:
    case ValueKind::kDuration:
    case ValueKind::kUrl:
    case ValueKind::kFormat:
    case ValueKind::kAuthorization:
    case ValueKind::kSemver: break;
  }
  return 1;
}

// As extensions and Kubernetes count: they do not look into optionals.
uint64_t PlainSize(const Value& value) {
  return value.is(ValueKind::kOptional) ? 1 : SizeOf(value);
}

// Rounded up, in integers: upstream's floating point gives the same below 2^50.
uint64_t Tenth(uint64_t size) {
  return (size + 9) / 10;
}
uint64_t Quarter(uint64_t size) {
  return (size + 3) / 4;
}

bool IsText(const Value& value) {
  return value.is(ValueKind::kString) || value.is(ValueKind::kBytes);
}

// Texts count a tenth of their bytes, rounded down; other leaves 1. Recursion is bounded by the
// nesting of literals.
uint64_t Traversal(const Value& value) {
  uint64_t sum = 0;
  if (IsText(value)) return value.text().size() / 10;
  if (value.is(ValueKind::kList)) {
    for (const Value& item : value.list().items()) sum += Traversal(item);
    return sum;
  }
  if (value.is(ValueKind::kMap)) {
    for (const MapEntry& entry : value.map().entries()) {
      sum += Traversal(entry.key) + Traversal(entry.value);
    }
    return sum;
  }
  return 1;
}

uint64_t EqualityCost(std::span<const Value> arguments, const Value& result) {
  if (arguments[0].is_object()) return 1;
  if (IsText(arguments[0]) && IsText(arguments[1])) {
    if (result.is_true()) return Tenth(SizeOf(arguments[0]));  // both have it
    // Up to ten bytes are one to ten characters.
    const size_t bytes = std::min(arguments[0].text().size(), arguments[1].text().size());
    if (bytes <= 10) return std::min<size_t>(bytes, 1);
  }
  return Tenth(std::min(SizeOf(arguments[0]), SizeOf(arguments[1])));
}

uint64_t QuadraticCost(const Value& list) {
  const uint64_t size = SizeOf(list);
  const bool texts = list.is(ValueKind::kList) && size > 0 && IsText(list.list().At(0));
  return kListCallBase + size * size * (texts ? 21 : 20) / 10;
}

// Comparing with the bytes of the prefix.
uint64_t ContainsAddressCost(std::span<const Value> arguments) {
  return Tenth(2 * SizeOf(arguments[0]));
}
uint64_t ContainsPrefixCost(std::span<const Value> arguments) {
  return ContainsAddressCost(arguments) + Tenth(SizeOf(arguments[0])) + 1;
}

uint64_t ValidateCost(std::span<const Value> arguments) {
  if (!arguments[0].is(ValueKind::kFormat)) return 1;
  return Tenth(SizeOf(arguments[1]) + 1) * Quarter(arguments[0].format().pattern_size);
}

// The text is read, and may hold a requirement per two characters.
uint64_t SelectorTextCost(const Value& text) {
  constexpr uint64_t kList = 10;
  constexpr uint64_t kRequirement = 50;
  const uint64_t size = SizeOf(text);
  return kList + Tenth(size) + (size + 1) / 2 * kRequirement;
}

uint64_t FlattenCost(std::span<const Value> arguments) {
  const bool has_depth = arguments.size() > 1 && arguments[1].is(ValueKind::kInt);
  const int64_t given = has_depth ? arguments[1].integer() : 1;
  const double depth = given < 0 ? 1 : static_cast<double>(given);
  // In floating point, as upstream does: there are depths that make it inexact, or too big.
  const double product = depth * static_cast<double>(PlainSize(arguments[0]));
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (product >= 2 * kTwoTo63) return kListCallBase + (uint64_t{1} << 63);
  return kListCallBase + static_cast<uint64_t>(product);
}

bool TakesText(const check::Type& type) {
  return type.kind == TypeKind::kString || type.kind == TypeKind::kBytes;
}

uint64_t First(std::span<const Value> arguments) {
  return SizeOf(arguments[0]);
}
uint64_t Second(std::span<const Value> arguments) {
  return SizeOf(arguments[1]);
}

}  // namespace

CostRule CostOf(CostRule rule, const check::Overload* overload) {
  const check::Type* const first =
      overload == nullptr || overload->parameters.empty() ? nullptr : overload->parameters[0];
  const auto if_holds = [rule](bool holds) { return holds ? rule : CostRule::kOne; };
  if (rule == CostRule::kOrdering || rule == CostRule::kConcatenation) {
    return if_holds(first != nullptr && TakesText(*first));
  }
  if (rule == CostRule::kText) {
    return if_holds(first != nullptr && TakesText(*first) &&
                    !check::SameType(*first, *overload->result));
  }
  if (rule == CostRule::kMembership) {
    return if_holds(first != nullptr && overload->parameters[1]->kind == TypeKind::kList);
  }
  if (rule == CostRule::kQuadratic || rule == CostRule::kQuadraticKeys) {
    return if_holds(first != nullptr);
  }
  return rule;
}

uint64_t WorkOfCallCost(CostRule rule, std::span<const Value> arguments) {
  if (rule == CostRule::kOne) return 0;
  if (rule == CostRule::kTraversal) {
    return 2 * std::max<uint64_t>(WeightOf(arguments[0]), PlainSize(arguments[0]));
  }
  uint64_t work = 0;
  for (const Value& argument : arguments) {
    if (argument.is(ValueKind::kString)) work += WorkOfCounting(argument.text());
  }
  return work;
}

uint64_t CallCost(CostRule rule, std::span<const Value> arguments, const Value& result) {
  switch (rule) {
    case CostRule::kOne: return 1;
    case CostRule::kEquality: return EqualityCost(arguments, result);
    case CostRule::kDifference:
    case CostRule::kOrdering: return Tenth(std::min(First(arguments), Second(arguments)));
    case CostRule::kConcatenation: return Tenth(First(arguments) + Second(arguments));
    case CostRule::kText: return Tenth(First(arguments));
    case CostRule::kMembership: return Second(arguments);
    case CostRule::kAffix: return Tenth(SizeOf(arguments[1]));
    case CostRule::kContains: return Tenth(SizeOf(arguments[0])) * Tenth(SizeOf(arguments[1]));
    case CostRule::kRegex: return Tenth(SizeOf(arguments[0]) + 1) * Quarter(SizeOf(arguments[1]));
    case CostRule::kTenth: return Tenth(PlainSize(arguments[0]));
    case CostRule::kFifth: return Tenth(2 * PlainSize(arguments[0]));
    case CostRule::kFifthOfResult: return Tenth(2 * SizeOf(result));
    case CostRule::kTraversal: return Traversal(arguments[0]);
    case CostRule::kProduct: return 1 + PlainSize(arguments[0]) * PlainSize(arguments[1]);
    case CostRule::kDoubleProduct: return 1 + 2 * PlainSize(arguments[0]) * PlainSize(arguments[1]);
    case CostRule::kListResult: return kListCallBase + PlainSize(result);
    case CostRule::kFlatten: return FlattenCost(arguments);
    case CostRule::kQuadratic: return QuadraticCost(arguments[0]);
    case CostRule::kQuadraticKeys: return QuadraticCost(arguments[1]);
    case CostRule::kContainsAddress: return ContainsAddressCost(arguments);
    case CostRule::kContainsAddressText:
      return ContainsAddressCost(arguments) + Tenth(SizeOf(arguments[1]));
    case CostRule::kContainsPrefix: return ContainsPrefixCost(arguments);
    case CostRule::kContainsPrefixText:
      return ContainsPrefixCost(arguments) + Tenth(SizeOf(arguments[1]));
    case CostRule::kAuthorization: return kAuthorizationCost;
    case CostRule::kSelectorText: return SelectorTextCost(arguments[1]);
    case CostRule::kValidate: return ValidateCost(arguments);
  }
  return 1;
}

}  // namespace dray::cel::library
