// SPDX-License-Identifier: Apache-2.0
// Types of the checker. A Type is immutable. Types without parts exist once in the process, the
// others belong to a TypePool; compare with SameType, because two pools (the declarations' and a
// compilation's) may hold equal types.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "cel/syntax/bump.h"

namespace dray::cel::check {

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
  kWrapper,    // parameters: the scalar, which may be null
  kObject,     // name
  kOpaque,     // name, parameters
  kParameter,  // variable: what it stands for is to be found out; name, where it was declared
};

struct Type {
  TypeKind kind = TypeKind::kError;
  bool is_generic = false;  // a type parameter, or has one inside
  uint32_t variable = 0;    // kParameter
  std::string_view name;
  std::span<const Type* const> parameters;
};

/// The type of a kind without parts: int, dyn, null …
const Type* SimpleType(TypeKind kind);

/// The type of a variable whose type upstream loses: agrees with no type and has no name.
const Type* NoType();

class TypePool {
 public:
  /// `kind` with parts.
  const Type* Make(TypeKind kind, std::initializer_list<const Type*> parameters);
  const Type* Make(TypeKind kind, std::span<const Type* const> parameters);
  /// `type` with other parts.
  const Type* Make(const Type& type, std::span<const Type* const> parameters);
  const Type* MakeNamed(TypeKind kind, std::string_view name);
  const Type* MakeVariable(uint32_t variable);

  /// Names of type parameters in one declaration, in order of appearance: their numbers.
  struct Names {
    std::span<std::string_view> names;
    uint32_t count = 0;
  };
  /// Reads "map(string, list($A))": the notation of declarations. Other names become kOpaque
  /// (net.…, or with parameters) or kObject. Type parameters get the numbers in `names`; new ones
  /// are added to it, up to four.
  const Type* Parse(std::string_view text, Names& names);
  /// A type without type parameters.
  const Type* Parse(std::string_view text);

 private:
  syntax::Bump memory_;
};

bool SameType(const Type& a, const Type& b);

/// As checker messages write it: "map(string, null)", "timestamp"; type variables are "_var0",
/// "_var1" ….
std::string CheckerName(const Type& type);
/// As declarations write it: "map(string, null_type)", "google.protobuf.Timestamp".
std::string DeclaredName(const Type& type);

/// The declared name of a type without parameters.
std::string_view KindName(TypeKind kind);

}  // namespace dray::cel::check
