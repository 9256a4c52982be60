// SPDX-License-Identifier: Apache-2.0
// A function of the language as a row: its name, its code, what it costs, and since when.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "api/release.h"
#include "cel/language/time_zones.h"
#include "cel/library/call_cost.h"
#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::cel::library {

/// Computes a function. No argument is an error.
using BuiltinCall = Value (*)(Arena& arena, std::span<const Value> arguments);

/// The same for a function that may name a time zone. If `zones` is null, only UTC is known.
using ZonedCall = Value (*)(Arena& arena, std::span<const Value> arguments, const TimeZones* zones);

/// Which error arguments of wrong run-time types give. They reach a function through dyn.
enum class WrongTypes : uint8_t {
  kOwn,        // the function says so itself: "no such overload"
  kSignature,  // "no such overload: f(int, string)", found by the declarations
};

/// One function in a run of releases. Several rows may share a name if their releases do not
/// overlap.
struct Builtin {
  std::string_view name;
  BuiltinCall call;  // null if there is a zoned one
  CostRule cost = CostRule::kOne;
  WrongTypes wrong_types = WrongTypes::kSignature;
  api::Releases in = {};
  api::Releases charged = {};  // where `cost` holds; elsewhere a call costs 1
  ZonedCall zoned_call = nullptr;
};

/// The words of tables of functions.
inline constexpr WrongTypes kOwn = WrongTypes::kOwn;
inline constexpr WrongTypes kSignature = WrongTypes::kSignature;
inline constexpr CostRule kTenth = CostRule::kTenth;
inline constexpr CostRule kFifth = CostRule::kFifth;
inline constexpr CostRule kTraversal = CostRule::kTraversal;

/// The Kubernetes functions have their costs since 1.32, semver has since 1.33.
inline constexpr api::Releases kSince32 = {.first = 32};
inline constexpr api::Releases kSince33 = {.first = 33};
inline constexpr api::Releases kUntil36 = {.last = 36};
inline constexpr api::Releases kSince37 = {.first = 37};

}  // namespace dray::cel::library
