// SPDX-License-Identifier: Apache-2.0
// Expressions as a server of one release and its feature gates compiles them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>

#include "api/feature_gates.h"
#include "api/release.h"
#include "api/validation/expression_checker.h"
#include "cel/selector_cache.h"

namespace dray::server::registry {

/// The most instructions that the patterns of all expressions of an object may compile to together:
/// half a second.
inline constexpr size_t kObjectPatternsMax = 2'000'000;

/// Compiles the expressions of one object as `inner` does, until their patterns take
/// kObjectPatternsMax; every later one is refused. For one thread.
class ObjectExpressions final : public api::validation::ExpressionChecker {
 public:
  /// `inner` outlives this.
  explicit ObjectExpressions(const api::validation::ExpressionChecker& inner) : inner_(inner) {}
  std::expected<uint64_t, api::validation::ExpressionProblem> Check(
      const api::validation::Expression& expression) const override;

 private:
  const api::validation::ExpressionChecker& inner_;
  mutable size_t left_ = kObjectPatternsMax;
};

/// Compiles expressions as a server of `profile` does, and caches the result. Safe from any thread.
class ProfileExpressions final : public api::validation::ExpressionChecker {
 public:
  explicit ProfileExpressions(const api::Profile& profile);
  std::expected<uint64_t, api::validation::ExpressionProblem> Check(
      const api::validation::Expression& expression) const override;

 private:
  api::Release release_;
  mutable cel::SelectorCache new_selectors_;
  mutable cel::SelectorCache stored_selectors_;
  mutable cel::SelectorCache derived_attributes_;
  mutable cel::SelectorCache named_resources_;
};

}  // namespace dray::server::registry
