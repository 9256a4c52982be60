// SPDX-License-Identifier: Apache-2.0
// A schema with rules, an object, and an object that was there before, a line each: rules stay
// within their budget, and decide the same twice.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/check.h"
#include "base/frozen.h"
#include "custom/rules/rules.h"
#include "tests/fuzz/custom_schema.h"

namespace {

using namespace dray;                 // NOLINT(google-build-using-namespace): this file is glue
using namespace dray::custom::rules;  // NOLINT(google-build-using-namespace)

void Run(const RuleSet& rules, const api::Tree& object, const api::Tree* old) {
  // Small enough for some inputs to spend it.
  constexpr int64_t kCost = 20'000;
  Budget first{.cost = kCost};
  Budget second{.cost = kCost};
  const RuleOutcome once = RunRules(rules, object, old, first);
  const RuleOutcome again = RunRules(rules, object, old, second);
  DRAY_CHECK(once.causes == again.causes && once.warnings == again.warnings);
  DRAY_CHECK(first.cost == second.cost && first.cost <= kCost);
  DRAY_CHECK(!first.is_spent() || !once.causes.empty());
  DRAY_CHECK(old != nullptr || once.warnings.empty());
}

}  // namespace

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto definition = fuzz::DefinitionWith(fuzz::TakeLine(text));
  if (!definition.has_value()) return 0;
  const Frozen<RuleSet> rules =
      CompileRules(*definition->spec.versions.front().schema->open_apiv3_schema);
  if (rules == nullptr) return 0;
  const std::optional<api::Tree> object = fuzz::ObjectOf(fuzz::TakeLine(text));
  if (!object.has_value()) return 0;
  Run(*rules, *object, nullptr);
  Run(*rules, *object, &*object);
  const std::optional<api::Tree> old = fuzz::ObjectOf(fuzz::TakeLine(text));
  if (old.has_value()) Run(*rules, *object, &*old);
  return 0;
}
