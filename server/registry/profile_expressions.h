// SPDX-License-Identifier: Apache-2.0
// Expressions as a server of one release and its feature gates compiles them.
#pragma once

#include <cstdint>
#include <expected>

#include "api/feature_gates.h"
#include "api/release.h"
#include "api/validation/expression_checker.h"
#include "cel/selector_cache.h"

namespace dray::server::registry {

/// Compiles expressions as a server of `profile` does, each once while it is kept. Safe from any
/// thread.
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
