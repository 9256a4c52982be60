// SPDX-License-Identifier: Apache-2.0
#include "api/validation/cluster/lease.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "api/text/names.h"
#include "api/validation/field_path.h"

namespace dray::api::validation::inline cluster {
namespace {

constexpr std::array<std::string_view, 1> kStrategies = {"OldestEmulationVersion"};

void CheckStrategy(const std::string& strategy, FieldErrors& errors) {
  const Path path("spec.strategy.strategy");  // sic: upstream's path
  if (strategy.contains('/')) return errors.Names(path, strategy, CheckLabelKey(strategy));
  if (strategy != kStrategies.front()) errors.NotSupported(path, strategy, kStrategies);
}

}  // namespace

std::vector<ErrorCause> ValidateLease(const coordination_v1::Lease& lease, const Profile& profile) {
  FieldErrors errors(profile.release);
  const coordination_v1::LeaseSpec& spec = lease.spec;
  if (spec.lease_duration_seconds.value_or(1) <= 0) {
    errors.Invalid(Path("spec.leaseDurationSeconds"),
                   std::to_string(*spec.lease_duration_seconds),
                   "must be greater than 0");
  }
  if (spec.lease_transitions.value_or(0) < 0) {
    errors.Invalid(Path("spec.leaseTransitions"),
                   std::to_string(*spec.lease_transitions),
                   "must be greater than or equal to 0");
  }
  if (spec.strategy.has_value()) CheckStrategy(*spec.strategy, errors);
  if (!spec.preferred_holder.value_or("").empty() && spec.strategy.value_or("").empty()) {
    errors.Forbidden(Path("spec.preferredHolder"),
                     "may only be specified if `strategy` is defined");
  }
  return std::move(errors).Take();
}

}  // namespace dray::api::validation::inline cluster
