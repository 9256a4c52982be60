// SPDX-License-Identifier: Apache-2.0
// The output formats of dray lint.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "cli/reports/ci_report.h"
#include "cli/terminal/output.h"
#include "planning/lint/lint_finding.h"

namespace dray::cli::inline reports {

/// A finding and its place.
struct PlacedFinding {
  planning::Finding finding;
  std::string file;    // "-": standard input; a URL: a running cluster
  size_t line = 0;     // 0: of a running cluster
  std::string object;  // ResourceClaim default/gpu
};

/// FILE:LINE: error: OBJECT: RULE, below it field, reason and remedy, and at the end a line of
/// counts.
std::string TextOf(std::span<const PlacedFinding> findings, Colours colours, size_t columns);
/// {"findings": […], "summary": {…}}; docs/lint.md has its members.
std::string JsonOf(std::span<const PlacedFinding> findings);
/// For CI tools. `objects`: "ResourceClaim default/gpu" for all checked objects; those without
/// findings are fine.
CiReport ReportOf(std::span<const PlacedFinding> findings, std::span<const std::string> objects);

}  // namespace dray::cli::inline reports
