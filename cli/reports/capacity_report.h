// SPDX-License-Identifier: Apache-2.0
// The output formats of dray capacity.
#pragma once

#include <string>

#include "cli/terminal/output.h"
#include "planning/capacity/capacity_report.h"

namespace dray::cli::inline reports {

/// Tables for users.
std::string TextOf(const planning::CapacityReport& report, Colours colours);
/// One JSON value; docs/capacity.md has its members.
std::string JsonOf(const planning::CapacityReport& report);
/// A line for each row, after a header (RFC 4180, except that lines end with a line feed only).
std::string CsvOf(const planning::CapacityReport& report);
/// Gauges in the text format of Prometheus.
std::string PrometheusOf(const planning::CapacityReport& report);

/// "50%".
std::string PercentText(double share);
/// "3", or "3-5" if only the range is known.
std::string FitText(const planning::CarvingAnswer::Fit& fit);

}  // namespace dray::cli::inline reports
