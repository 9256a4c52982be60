// SPDX-License-Identifier: Apache-2.0
// What dray whatif prints.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/reports/ci_report.h"
#include "cli/reports/what_if_pods.h"
#include "cli/terminal/output.h"
#include "planning/cluster/offline_cluster.h"
#include "planning/cluster/queued_pods.h"

namespace dray::cli::inline reports {

/// What came of it.
struct WhatIfAnswer {
  /// Of the work and of pods that a change drives away; with --max of these only.
  std::vector<planning::OfflineAnswer> placed;
  std::vector<planning::OfflineExplanation> reasons;  // of those that do not fit
  std::optional<size_t> copies;                       // how often the work fits, if that was asked
  std::map<std::string, size_t> by_node;              // pods of these copies
  std::vector<std::string> evicts;                    // pods that go for these copies
  NodesBefore nodes_before;                           // of pods that a change drives away
  planning::QueuedReport queued = {};                 // pods that wait in the cluster already
  bool is_cut_short = false;                          // somebody ended it: there may be more

  bool fits() const { return copies.has_value() ? *copies > 0 : reasons.empty() && !is_cut_short; }
};

/// For people; `all`: lists are not cut short.
void PrintText(const WhatIfAnswer& answer, bool all, const Output& output);

/// For programs; docs/whatif.md has the members.
std::string JsonOf(const WhatIfAnswer& answer);

/// For tools of CI: a result for each pod and claim, or one for all copies.
CiReport ReportOf(const WhatIfAnswer& answer);

}  // namespace dray::cli::inline reports
