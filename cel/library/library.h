// SPDX-License-Identifier: Apache-2.0
// The functions of the language and of Kubernetes, by name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/release.h"
#include "cel/check/declarations.h"
#include "cel/environment.h"
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

/// One function in a run of releases. Several rows may share a name if their releases do not
/// overlap.
struct Builtin {
  std::string_view name;
  BuiltinCall call;
  CostRule cost = CostRule::kOne;
  WrongTypes wrong_types = WrongTypes::kSignature;
  api::Releases in = {};
  api::Releases charged = {};  // where `cost` holds; elsewhere a call costs 1
};

/// The Kubernetes functions have their costs since 1.32, semver has since 1.33.
inline constexpr api::Releases kSince32 = {.first = 32};
inline constexpr api::Releases kSince33 = {.first = 33};
inline constexpr api::Releases kUntil36 = {.last = 36};
inline constexpr api::Releases kSince37 = {.first = 37};

/// The function as the release of `environment` has it, with its cost there; nullptr if it is
/// declared but not implemented. `overload` is the one the checker left, if it left only one: the
/// sum of an empty list depends on it. Costs O(1).
const Builtin* FindBuiltin(std::string_view name,
                           const Environment& environment,
                           const Overload* overload = nullptr);

/// Whether some overload of `function` takes these values, or the only one the checker left. Lists
/// are judged by their first element.
bool AcceptsValues(const Function& function,
                   std::span<const Value> arguments,
                   const Overload* only = nullptr);

/// Whether a map literal may have keys of this kind: of any but those that Go cannot hash.
bool CanBeKey(ValueKind kind);

/// "no such overload: f(int, string)".
Value WrongArguments(Arena& arena, std::string_view function, std::span<const Value> arguments);

// Helpers of the implementations.
Value NoSuchOverload();
Value MakeError(Arena& arena, std::string_view message);
Value MakeString(Arena& arena, std::string_view text);
/// These two copy, and fail above kWeightMax. Of equal keys the last wins.
Value MakeList(Arena& arena, std::span<const Value> items);
/// Keys are of kinds that CanBeKey.
Value MakeMap(Arena& arena, std::span<const MapEntry> entries);
/// A list of items that are in the arena already.
Value AdoptList(Arena& arena, std::span<const Value> items);
Value MakeSome(Arena& arena, const Value& value);
/// a + b of two values of one kind.
Value AddValues(Arena& arena, const Value& a, const Value& b);

// One table per subject.
std::span<const Builtin> OperatorBuiltins();
std::span<const Builtin> ConversionBuiltins();
std::span<const Builtin> StringBuiltins();
std::span<const Builtin> RegexBuiltins();
std::span<const Builtin> ListBuiltins();
std::span<const Builtin> OptionalBuiltins();
std::span<const Builtin> QuantityBuiltins();
std::span<const Builtin> SemverBuiltins();
std::span<const Builtin> TimeBuiltins();
std::span<const Builtin> AddressBuiltins();
std::span<const Builtin> UrlBuiltins();
std::span<const Builtin> AuthorizationBuiltins();
std::span<const Builtin> FormatBuiltins();
std::span<const Builtin> TextFormatBuiltins();

}  // namespace dray::cel
