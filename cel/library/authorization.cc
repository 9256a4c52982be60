// SPDX-License-Identifier: Apache-2.0
// The functions of the authorizer. Every environment declares them, but device expressions have no
// variable of their types. They can only be called on other values, through dyn, and then their
// signatures do not match.
#include <array>

#include "cel/library/builtin.h"
#include "cel/library/tables.h"
#include "cel/value/arena.h"
#include "cel/value/make.h"
#include "cel/value/value.h"

namespace dray::cel::library {
namespace {

Value Refuse(Arena& /*arena*/, std::span<const Value> /*arguments*/) {
  return NoSuchOverload();
}

constexpr WrongTypes kSignature = WrongTypes::kSignature;

constexpr auto kBuiltins = std::to_array<Builtin>({
    {"allowed", Refuse},
    {"check", Refuse, CostRule::kAuthorization, kSignature, {}, kSince32},
    {"error", Refuse},
    {"errored", Refuse},
    {"fieldSelector", Refuse, CostRule::kSelectorText, kSignature, {}, kSince32},
    {"group", Refuse},
    {"labelSelector", Refuse, CostRule::kSelectorText, kSignature, {}, kSince32},
    {"name", Refuse},
    {"namespace", Refuse},
    {"path", Refuse},
    {"reason", Refuse},
    {"resource", Refuse},
    {"serviceAccount", Refuse},
    {"subresource", Refuse},
});

}  // namespace

std::span<const Builtin> AuthorizationBuiltins() {
  return kBuiltins;
}

}  // namespace dray::cel::library
