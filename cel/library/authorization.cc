// SPDX-License-Identifier: Apache-2.0
// The functions of the authorizer. Every environment declares them, but only admission expressions
// have a variable of their types. On other values, which come through dyn, their signatures do not
// match.
#include "cel/value/authorization.h"

#include <array>
#include <string_view>
#include <utility>

#include "api/text/names.h"
#include "base/text/ascii.h"
#include "cel/library/builtin.h"
#include "cel/library/tables.h"
#include "cel/value/arena.h"
#include "cel/value/make.h"
#include "cel/value/value.h"

namespace dray::cel::library {
namespace {

using Arguments = std::span<const Value>;
using Stage = AuthorizationStage;

bool IsAt(const Value& value, Stage stage) {
  return value.is(ValueKind::kAuthorization) && value.authorization().stage == stage;
}

/// Whether the arguments are a value of `stage` and `texts` strings.
bool Fits(Arguments arguments, Stage stage, size_t texts) {
  if (arguments.size() != texts + 1 || !IsAt(arguments[0], stage)) return false;
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (!arguments[i].is(ValueKind::kString)) return false;
  }
  return true;
}

Value Keep(Arena& arena, Authorization next) {
  return Value::Authorization(arena.Keep(std::move(next)));
}

// A decision about a user with many roles.
constexpr uint64_t kWorkOfAsking = 20'000;
// A question is copied.
constexpr uint64_t kWorkOfNarrowing = 200;

bool IsBlank(std::string_view text) {
  return TrimSpace(text).empty();
}

/// A value of `from` with one text more, which becomes one of `to`.
template <Stage kFrom, Stage kTo, std::string_view AuthorizationQuestion::* kField>
Value Narrow(Arena& arena, Arguments arguments) {
  if (!Fits(arguments, kFrom, 1)) return NoSuchOverload();
  Authorization next = arguments[0].authorization();
  next.stage = kTo;
  next.question.*kField = arguments[1].text();
  arena.work().Charge(kWorkOfNarrowing + WorkOfBytes(arguments[1].text().size()));
  return Keep(arena, std::move(next));
}

Value Path(Arena& arena, Arguments arguments) {
  if (!Fits(arguments, Stage::kAuthorizer, 1)) return NoSuchOverload();
  if (IsBlank(arguments[1].text())) return Value::Error("path must not be empty");
  return Narrow<Stage::kAuthorizer, Stage::kPath, &AuthorizationQuestion::path>(arena, arguments);
}

Value Resource(Arena& arena, Arguments arguments) {
  if (!Fits(arguments, Stage::kGroup, 1)) return NoSuchOverload();
  if (IsBlank(arguments[1].text())) return Value::Error("resource must not be empty");
  return Narrow<Stage::kGroup, Stage::kResource, &AuthorizationQuestion::resource>(arena,
                                                                                   arguments);
}

Value ServiceAccount(Arena& arena, Arguments arguments) {
  if (!Fits(arguments, Stage::kAuthorizer, 2)) return NoSuchOverload();
  if (!api::CheckDnsSubdomain(arguments[2].text()).empty()) {
    return Value::Error("Invalid service account name");
  }
  if (!api::CheckDnsLabel(arguments[1].text()).empty()) {
    return Value::Error("Invalid service account namespace");
  }
  arena.work().Charge(kWorkOfNarrowing + WorkOfReading(4 * arguments[1].text().size()) +
                      WorkOfReading(4 * arguments[2].text().size()));
  Authorization next = arguments[0].authorization();
  next.question.is_service_account = true;
  next.question.account_namespace = arguments[1].text();
  next.question.account_name = arguments[2].text();
  return Keep(arena, std::move(next));
}

Value Check(Arena& arena, Arguments arguments) {
  arena.work().Charge(kWorkOfAsking);
  const bool fits = Fits(arguments, Stage::kPath, 1) || Fits(arguments, Stage::kResource, 1);
  if (!fits) return NoSuchOverload();
  Authorization next = arguments[0].authorization();
  next.question.verb = arguments[1].text();
  next.answer = next.source->Ask(next.question);
  next.stage = Stage::kDecision;
  return Keep(arena, std::move(next));
}

Value Allowed(Arena& /*arena*/, Arguments arguments) {
  if (!Fits(arguments, Stage::kDecision, 0)) return NoSuchOverload();
  return Value::Bool(arguments[0].authorization().answer.is_allowed);
}

Value Reason(Arena& /*arena*/, Arguments arguments) {
  if (!Fits(arguments, Stage::kDecision, 0)) return NoSuchOverload();
  return Value::String(arguments[0].authorization().answer.reason);
}

// Nothing here fails to answer.
Value Errored(Arena& /*arena*/, Arguments arguments) {
  return Fits(arguments, Stage::kDecision, 0) ? Value::Bool(false) : NoSuchOverload();
}

Value ErrorText(Arena& /*arena*/, Arguments arguments) {
  return Fits(arguments, Stage::kDecision, 0) ? Value::String("") : NoSuchOverload();
}

template <std::string_view AuthorizationQuestion::* kField>
constexpr BuiltinCall kOfResource = Narrow<Stage::kResource, Stage::kResource, kField>;

using Q = AuthorizationQuestion;

constexpr auto kAuthorizationBuiltins = std::to_array<Builtin>({
    {"allowed", Allowed},
    {"check", Check, CostRule::kAuthorization, kSignature, {}, kSince32},
    {"error", ErrorText},
    {"errored", Errored},
    {"fieldSelector",
     kOfResource<&Q::field_selector>,
     CostRule::kSelectorText,
     kSignature,
     {},
     kSince32},
    {"group", Narrow<Stage::kAuthorizer, Stage::kGroup, &Q::group>},
    {"labelSelector",
     kOfResource<&Q::label_selector>,
     CostRule::kSelectorText,
     kSignature,
     {},
     kSince32},
    {"name", kOfResource<&Q::name>},
    {"namespace", kOfResource<&Q::namespace_name>},
    {"path", Path},
    {"reason", Reason},
    {"resource", Resource},
    {"serviceAccount", ServiceAccount},
    {"subresource", kOfResource<&Q::subresource>},
});

}  // namespace

std::span<const Builtin> AuthorizationBuiltins() {
  return kAuthorizationBuiltins;
}

}  // namespace dray::cel::library
