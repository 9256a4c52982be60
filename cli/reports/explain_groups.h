// SPDX-License-Identifier: Apache-2.0
// Groups answers of dray explain that differ only in names: equal pods of a Job are one entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/reports/explain_report.h"
#include "planning/cluster/offline_cluster.h"

namespace dray::cli::inline reports {

/// Indexes of answers that are the same for different pods or claims, with their own claims. Groups
/// are ordered by their first answer and not empty.
using ExplanationGroup = std::vector<size_t>;

/// O(total size of the answers).
std::vector<ExplanationGroup> GroupsOf(std::span<const planning::OfflineExplanation> answers);

/// The complete text of each group, one after the other.
std::string TextOf(std::span<const planning::OfflineExplanation> answers,
                   std::span<const ExplanationGroup> groups,
                   const ExplainTextOptions& options);

/// For each group the reason, the closest nodes and the smallest change that would help, in at most
/// kBriefLinesMax lines. Groups with the most pods come first.
std::string BriefOf(std::span<const planning::OfflineExplanation> answers,
                    std::span<const ExplanationGroup> groups,
                    const ExplainTextOptions& options);
inline constexpr size_t kBriefLinesMax = 100;

enum class Length : uint8_t { kBounded, kWhole };
/// TextOf each group, or of each answer if complete lists are requested. BriefOf if that exceeds
/// kBriefLinesMax lines and the output is to be bounded.
std::string TextOfAll(std::span<const planning::OfflineExplanation> answers,
                      const ExplainTextOptions& options,
                      Length length);

}  // namespace dray::cli::inline reports
