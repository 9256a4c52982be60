// SPDX-License-Identifier: Apache-2.0
// The functions of the language and of Kubernetes, by name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cel/check/declarations.h"
#include "cel/eval/arena.h"
#include "cel/eval/cost.h"
#include "cel/eval/value.h"

namespace dray::cel {

/// Longest string a function may build, in bytes. Upstream has no limit; attribute values are at
/// most 64 bytes long.
inline constexpr size_t kStringBytesMax = size_t{256} * 1024;
/// Most leaves of a list or map (see Weight). It bounds what one comparison can take.
inline constexpr size_t kWeightMax = size_t{64} * 1024;

/// Computes a function of arguments that are no errors.
using BuiltinCall = Value (*)(Arena& arena, std::span<const Value> arguments);

/// What wrong run-time types give: they reach a function through dyn.
enum class WrongTypes : uint8_t {
  kOwn,        // the function says so itself: "no such overload"
  kSignature,  // "no such overload: f(int, string)", found by the declarations
};

struct Builtin {
  std::string_view name;
  BuiltinCall call;
  CostRule cost = CostRule::kOne;
  WrongTypes wrong_types = WrongTypes::kSignature;
};

/// nullptr for functions that are declared but not implemented yet.
const Builtin* FindBuiltin(std::string_view name);

/// Whether some overload of `function` takes these values. Lists are judged by their first element.
bool AcceptsValues(const Function& function, std::span<const Value> arguments);

// Helpers of the implementations.
Value NoSuchOverload();
Value MakeError(Arena& arena, std::string_view message);
Value MakeString(Arena& arena, std::string_view text);
/// These two copy, and fail above kWeightMax. Of equal keys the last wins.
Value MakeList(Arena& arena, std::span<const Value> items);
Value MakeMap(Arena& arena, std::span<const MapEntry> entries);
Value MakeSome(Arena& arena, const Value& value);

// One table per subject.
std::span<const Builtin> OperatorBuiltins();
std::span<const Builtin> ConversionBuiltins();
std::span<const Builtin> StringBuiltins();
std::span<const Builtin> RegexBuiltins();
std::span<const Builtin> ListBuiltins();
std::span<const Builtin> OptionalBuiltins();
std::span<const Builtin> QuantityBuiltins();
std::span<const Builtin> SemverBuiltins();

}  // namespace dray::cel
