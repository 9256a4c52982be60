// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/delete_options.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "server/errors/errors.h"

namespace dray::server::verbs {

Result<> CheckDeleteOptions(const api::meta_v1::DeleteOptions& options) {
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
  if (causes.empty()) return {};
  return Fail(errors::InvalidAs("meta.k8s.io", "DeleteOptions", "", std::move(causes)));
}

}  // namespace dray::server::verbs
