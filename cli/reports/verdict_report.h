// SPDX-License-Identifier: Apache-2.0
// Reports for CI tools whether pods and claims fit: dray explain, allocate and whatif.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/reports/ci_report.h"
#include "planning/cluster/offline_cluster.h"

namespace dray::cli::inline reports {

/// A report of `command` without results.
CiReport VerdictReport(std::string_view command);

/// The result for one pod or claim. `text`: details if it does not fit.
CiResult CiResultOf(const planning::OfflineAnswer& answer, std::string text);
CiResult CiResultOf(const planning::OfflineExplanation& answer, std::string text);

}  // namespace dray::cli::inline reports
