// SPDX-License-Identifier: Apache-2.0
// The output of dray whatif.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/codec/json_writer.h"
#include "cli/reports/ci_report.h"
#include "cli/reports/what_if_pods.h"
#include "cli/terminal/output.h"
#include "planning/capacity/device_changes.h"
#include "planning/cluster/offline_cluster.h"
#include "planning/cluster/queued_pods.h"

namespace dray::cli::inline reports {

/// The most devices that an answer for programs lists.
inline constexpr size_t kDeviceChangesMax = 2'000;

/// The findings of dray whatif.
struct WhatIfAnswer {
  /// The work and displaced pods; with --max displaced pods only.
  std::vector<planning::OfflineAnswer> placed;
  std::vector<planning::OfflineExplanation> reasons;  // of those that do not fit
  std::optional<size_t> copies;                       // how often the work fits, with --max
  std::map<std::string, size_t> by_node;              // pods of these copies
  std::vector<std::string> evicts;                    // pods evicted for these copies
  NodesBefore nodes_before;                           // of displaced pods
  planning::QueuedReport queued = {};                 // pods that already wait in the cluster
  bool is_cut_short = false;                          // interrupted: answers are missing
  /// The devices that differ from now once all that fits has its devices; if the question asks for
  /// them.
  std::optional<std::vector<planning::DeviceChange>> devices = {};

  bool fits() const { return copies.has_value() ? *copies > 0 : reasons.empty() && !is_cut_short; }
};

/// For users; `all`: print complete lists.
void PrintText(const WhatIfAnswer& answer, bool all, const Output& output);

/// For programs; docs/whatif.md has the members.
std::string JsonOf(const WhatIfAnswer& answer);
/// Writes these members into an object.
void WriteWhatIf(const WhatIfAnswer& answer, api::JsonWriter& json);

/// For CI tools: a result for each pod and claim, or one for all copies.
CiReport ReportOf(const WhatIfAnswer& answer);

}  // namespace dray::cli::inline reports
