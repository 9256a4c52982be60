// SPDX-License-Identifier: Apache-2.0
// What the expressions of policies came to, for `/metrics`; under upstream's names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/world.h"
#include "metrics/limited_names.h"
#include "metrics/registry.h"

namespace dray::server::policies {

/// Policies with a binding that have metrics of their own; later ones share the name "other".
inline constexpr size_t kMeasuredPoliciesMax = 500;

/// What became of the request because of one expression.
enum class CheckAction : uint8_t { kAllow, kDeny, kAudit, kWarn };

struct PolicyCheck {
  std::string policy, binding;
  std::string error_type;  // "no_error", …
  CheckAction action = CheckAction::kAllow;
  double seconds = 0;
};

/// "compile_error", "out_of_budget" or "invalid_error": upstream's word for a failure or denial
/// with that message. Empty: "no_error".
std::string_view ErrorTypeOf(std::string_view message);

/// The checks of one request. Belongs to one thread; the clock outlives it.
class CheckLog {
 public:
  explicit CheckLog(const Clock& clock) : clock_(clock) {}

  const Clock& clock() const { return clock_; }
  void Note(PolicyCheck check) { checks_.push_back(std::move(check)); }
  const std::vector<PolicyCheck>& checks() const { return checks_; }

 private:
  const Clock& clock_;
  std::vector<PolicyCheck> checks_;
};

/// Safe from any thread.
class CheckMetrics {
 public:
  /// `registry` outlives it; null: nothing is counted.
  explicit CheckMetrics(metrics::Registry* registry) : registry_(registry) {}

  void NoteValidations(const CheckLog& log);
  void NoteMutations(const CheckLog& log);

 private:
  metrics::Registry* const registry_;
  metrics::LimitedNames names_{kMeasuredPoliciesMax};
};

}  // namespace dray::server::policies
