// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/write/delete_options.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "server/errors/errors.h"

namespace dray::server::verbs::inline write {
namespace {

using api::meta_v1::DeleteOptions;

ErrorCause UnsafeWith(std::string_view why) {
  return errors::InvalidValue("ignoreStoreReadErrorWithClusterBreakingPotential", "true", why);
}

// These options have no meaning for an object that cannot be read.
void CheckUnsafe(const DeleteOptions& options, std::vector<ErrorCause>& causes) {
  const auto refuse = [&](bool is_set, std::string_view member) {
    if (is_set)
      causes.push_back(UnsafeWith(fmt::format("cannot be set together with .{}", member)));
  };
  refuse(options.propagation_policy.has_value(), "propagationPolicy");
  refuse(options.orphan_dependents.has_value(), "orphanDependents");
  refuse(options.grace_period_seconds.has_value(), "gracePeriodSeconds");
  refuse(options.preconditions.has_value(), "preconditions");
}

}  // namespace

Result<> CheckDeleteOptions(const DeleteOptions& options, Deletion deletion) {
  constexpr std::array<std::string_view, 3> kPolicies = {"Foreground", "Background", "Orphan"};
  std::vector<ErrorCause> causes;
  const auto& policy = options.propagation_policy;
  if (policy.has_value() && options.orphan_dependents.has_value()) {
    causes.push_back(
        errors::InvalidValue("propagationPolicy",
                             errors::Quoted(*policy),
                             "orphanDependents and deletionPropagation cannot be both set"));
  }
  if (policy.has_value() && std::ranges::find(kPolicies, *policy) == kPolicies.end()) {
    causes.push_back(
        {.reason = "FieldValueNotSupported",
         .field = "propagationPolicy",
         .message = fmt::format("Unsupported value: {}: supported values: \"Foreground\", "
                                "\"Background\", \"Orphan\", \"nil\"",
                                errors::Quoted(*policy))});
  }
  for (const std::string& stage : options.dry_run) {
    if (stage == "All") continue;
    causes.push_back({.reason = "FieldValueNotSupported",
                      .field = "dryRun",
                      .message = fmt::format("Unsupported value: {}: supported values: \"All\"",
                                             errors::Quoted(stage))});
  }
  if (deletion == Deletion::kUnsafe) CheckUnsafe(options, causes);
  if (causes.empty()) return {};
  return Fail(errors::InvalidAs("meta.k8s.io", "DeleteOptions", "", std::move(causes)));
}

Error NoUnsafeCollections() {
  return errors::InvalidAs(
      "meta.k8s.io",
      "DeleteOptions",
      "",
      {UnsafeWith("is not allowed with DELETECOLLECTION, try again after removing the option")});
}

}  // namespace dray::server::verbs::inline write
