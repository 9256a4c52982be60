// SPDX-License-Identifier: Apache-2.0
#include "cel/eval/conversion_problem.h"

#include <fmt/format.h>

#include "cel/value/kind.h"

namespace dray::cel::eval {
namespace {

// The Go type without its package.
std::string_view ShortName(const Value& value) {
  const std::string_view name = GoTypeName(value);
  return name.substr(name.find('.') + 1);
}

}  // namespace

std::string ConversionProblem(const Value& value, std::string_view wanted) {
  switch (value.kind()) {
    case ValueKind::kInt:
    case ValueKind::kUint:
      return fmt::format("unsupported type conversion from '{}' to {}", TypeName(value), wanted);
    case ValueKind::kString:
      return fmt::format("unsupported native conversion from string to '{}'", wanted);
    case ValueKind::kType: return "type conversion not supported for 'type'";
    case ValueKind::kOptional:
      return value.optional() == nullptr ? "optional.none() dereference"
                                         : ConversionProblem(*value.optional(), wanted);
    case ValueKind::kDouble:
    case ValueKind::kBytes:
      return fmt::format("type conversion error from {} to '{}'", ShortName(value), wanted);
    case ValueKind::kBool:
    case ValueKind::kList:
    case ValueKind::kMap:
      return fmt::format("type conversion error from {} to '{}'", TypeName(value), wanted);
    case ValueKind::kQuantity:
    case ValueKind::kSemver:
    case ValueKind::kUrl:
    case ValueKind::kIp:
    case ValueKind::kCidr:
    case ValueKind::kFormat:
    case ValueKind::kAuthorization:
    case ValueKind::kTimestamp:
    case ValueKind::kDuration:
      return fmt::format("type conversion error from '{}' to '{}'", ShortName(value), wanted);
    case ValueKind::kError:
    case ValueKind::kNull: break;
  }
  return fmt::format("type conversion error from '{}' to '{}'", TypeName(value), wanted);
}

std::string ListerProblem(const Value& value) {
  return fmt::format("interface conversion: {} is not traits.Lister: missing method {}",
                     GoTypeName(value),
                     FactsOf(value.kind()).has_go_add ? "Contains" : "Add");
}

std::string_view GoTypeHeld(const Value& value) {
  const KindFacts& facts = FactsOf(value.kind());
  return facts.has_native_type ? facts.go_held_type : TypeName(value);
}

}  // namespace dray::cel::eval
