// SPDX-License-Identifier: Apache-2.0
// What dray explain prints: the same facts as text and as JSON.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json_writer.h"
#include "cli/command_line/help.h"
#include "cli/terminal/output.h"
#include "planning/cluster/offline_cluster.h"

namespace dray::cli::inline reports {

struct ExplainTextOptions {
  bool all = false;  // lists are not cut short
  Colours colours = Colours::kNone;
  size_t columns = kHelpColumns;
  /// Of all pods or claims of which the same is to be said; fewer than two: the answer's own.
  std::vector<std::string> names = {};
  /// How to see more than BriefOf says.
  std::string_view more =
      "-o wide says all about each reason, --all about each pod, KIND/NAME about one.";
};

/// For people: at most so many columns wherever names allow it. Lists end after kReasonsMax
/// entries and say how many are left.
std::string TextOf(const planning::OfflineExplanation& explanation,
                   const ExplainTextOptions& options);
inline constexpr size_t kReasonsMax = 5;
/// The same in a few lines.
std::string BriefOf(const planning::OfflineExplanation& explanation,
                    const ExplainTextOptions& options);

/// For programs: {"explanations": […]}, lists complete; docs/explain.md has the members.
std::string JsonOf(std::span<const planning::OfflineExplanation> explanations);
/// Its only member, in an object that has others.
void WriteExplanations(std::span<const planning::OfflineExplanation> explanations,
                       api::JsonWriter& json);

}  // namespace dray::cli::inline reports
