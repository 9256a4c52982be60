// SPDX-License-Identifier: Apache-2.0
// Answers of dray explain that are the same but for names: equal pods of a Job are one entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/reports/explain_report.h"
#include "planning/cluster/offline_cluster.h"

namespace dray::cli::inline reports {

/// Places of answers that say the same of other pods, or of other claims, and of claims of their
/// own. In the order of their first; at least one each.
using ExplanationGroup = std::vector<size_t>;

/// O(texts).
std::vector<ExplanationGroup> GroupsOf(std::span<const planning::OfflineExplanation> answers);

/// As much as there is to say of each group, one after the other.
std::string TextOf(std::span<const planning::OfflineExplanation> answers,
                   std::span<const ExplanationGroup> groups,
                   const ExplainTextOptions& options);

/// The reason, the nodes that come nearest and the smallest change that would help, of each group,
/// those of the most pods first; in kBriefLinesMax lines.
std::string BriefOf(std::span<const planning::OfflineExplanation> answers,
                    std::span<const ExplanationGroup> groups,
                    const ExplainTextOptions& options);
inline constexpr size_t kBriefLinesMax = 100;

enum class Length : uint8_t { kBounded, kWhole };
/// TextOf each group, or of each answer where lists are not to be cut short; BriefOf where that is
/// longer than kBriefLinesMax and to be bounded.
std::string TextOfAll(std::span<const planning::OfflineExplanation> answers,
                      const ExplainTextOptions& options,
                      Length length);

}  // namespace dray::cli::inline reports
