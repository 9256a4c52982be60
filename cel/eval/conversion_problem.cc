// SPDX-License-Identifier: Apache-2.0
#include "cel/eval/conversion_problem.h"

#include <fmt/format.h>

namespace dray::cel::eval {
namespace {

// The Go type without its package.
std::string_view ShortName(const Value& value) {
  const std::string_view name = GoTypeName(value);
  return name.substr(name.find('.') + 1);
}

// Whether Go's type has the method Add, one of a list's.
bool HasAddition(ValueKind kind) {
  switch (kind) {
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
    case ValueKind::kString:
    case ValueKind::kBytes:
    case ValueKind::kTimestamp:
    case ValueKind::kDuration: return true;
    case ValueKind::kError:
    case ValueKind::kNull:
    case ValueKind::kBool:
    case ValueKind::kList:
    case ValueKind::kMap:
    case ValueKind::kType:
    case ValueKind::kOptional:
    case ValueKind::kQuantity:
    case ValueKind::kSemver:
    case ValueKind::kUrl:
    case ValueKind::kIp:
    case ValueKind::kCidr:
    case ValueKind::kFormat:
    case ValueKind::kAuthorization: break;
  }
  return false;
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
                     HasAddition(value.kind()) ? "Contains" : "Add");
}

std::string_view GoTypeHeld(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull: return "structpb.NullValue";
    case ValueKind::kBool: return "bool";
    case ValueKind::kInt: return "int64";
    case ValueKind::kUint: return "uint64";
    case ValueKind::kDouble: return "float64";
    case ValueKind::kString: return "string";
    case ValueKind::kBytes: return "[]uint8";
    case ValueKind::kList: return "[]ref.Val";
    case ValueKind::kMap: return "map[ref.Val]ref.Val";
    case ValueKind::kTimestamp: return "time.Time";
    case ValueKind::kDuration: return "time.Duration";
    case ValueKind::kError:
    case ValueKind::kType:
    case ValueKind::kOptional:
    case ValueKind::kQuantity:
    case ValueKind::kSemver:
    case ValueKind::kUrl:
    case ValueKind::kIp:
    case ValueKind::kCidr:
    case ValueKind::kFormat:
    case ValueKind::kAuthorization: break;
  }
  return TypeName(value);
}

}  // namespace dray::cel::eval
