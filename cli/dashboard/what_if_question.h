// SPDX-License-Identifier: Apache-2.0
// What the dashboard asks as `whatif`: the options of dray whatif as one JSON value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/questions/planned_work.h"

namespace dray::cli::inline dashboard {

// Limits of one question, so that none makes a server work much longer than others do.
inline constexpr size_t kAskedObjectsMax = 1'000;  // in the manifests, and in those of a change
inline constexpr size_t kAskedPodsMax = 10'000;    // of the work, with all copies
inline constexpr size_t kAskedNodesMax = 1'000;    // that the changes add
inline constexpr size_t kAskedChangesMax = 64;

struct WhatIfAsked {
  std::string manifests;  // YAML or JSON; empty: no work
  std::string default_namespace;
  WorkQuestion question;
};

/// {"manifests": "…", "defaultNamespace": "…", "replicas": 3, "max": false, "defragment": false,
/// "changes": [{"drain": "node-7"}, …]}; every member may be absent. A change has one member, whose
/// name and value are those of the option of dray whatif: delete, drain, removeNode, like,
/// addNodes, taint. The value of upgradeDriver is the manifests of slices, not a file's name.
///
/// Errors: kBadRequest  it is not such a value, with the field; it asks nothing, or members exclude
/// each other.
Result<WhatIfAsked> ParseWhatIf(std::string_view json);

}  // namespace dray::cli::inline dashboard
