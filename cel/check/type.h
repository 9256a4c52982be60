// SPDX-License-Identifier: Apache-2.0
// Types of the checker. A Type is immutable and owned by a TypePool; compare with SameType, because
// two pools (the declarations' and a compilation's) may hold equal types.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace dray::cel {

enum class TypeKind : uint8_t {
  kError,  // already reported; agrees with everything
  kDyn,
  kAny,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTimestamp,
  kDuration,
  kList,       // parameters: element
  kMap,        // parameters: key, value
  kType,       // parameters: the type denoted
  kOptional,   // parameters: the value
  kObject,     // name
  kOpaque,     // name
  kParameter,  // name
};

struct Type {
  TypeKind kind = TypeKind::kError;
  std::string name;
  std::vector<const Type*> parameters;
};

class TypePool {
 public:
  const Type* Make(TypeKind kind, std::vector<const Type*> parameters = {});
  const Type* MakeNamed(TypeKind kind, std::string_view name);
  /// Reads "map(string, list($A))": the notation of declarations. Names that are no type of the
  /// language become kOpaque (net.…) or kObject.
  const Type* Parse(std::string_view text);

 private:
  std::deque<Type> types_;
};

bool SameType(const Type& a, const Type& b);

/// As checker messages write it: "map(string, null)", "timestamp".
std::string CheckerName(const Type& type);
/// As declarations write it: "map(string, null_type)", "google.protobuf.Timestamp".
std::string DeclaredName(const Type& type);

/// The declared name of a type without parameters.
std::string_view KindName(TypeKind kind);

}  // namespace dray::cel
