// SPDX-License-Identifier: Apache-2.0
// The output of dray explain: the same facts as text and as JSON.
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
  bool all = false;  // print complete lists
  Colours colours = Colours::kNone;
  size_t columns = kHelpColumns;
  /// The pods or claims that the answer is for; fewer than two: only its own.
  std::vector<std::string> names = {};
  /// The hint how to see more than BriefOf prints.
  std::string_view more =
      "-o wide says all about each reason, --all about each pod, KIND/NAME about one.";
};

/// For users, in a bounded width unless names are longer. Lists end after kReasonsMax entries, with
/// the number of entries left.
std::string TextOf(const planning::OfflineExplanation& explanation,
                   const ExplainTextOptions& options);
inline constexpr size_t kReasonsMax = 5;
/// The same in a few lines.
std::string BriefOf(const planning::OfflineExplanation& explanation,
                    const ExplainTextOptions& options);

/// For programs: {"explanations": […]}, with complete lists; docs/explain.md has the members.
std::string JsonOf(std::span<const planning::OfflineExplanation> explanations);
/// Writes only this member, in an object that has others.
void WriteExplanations(std::span<const planning::OfflineExplanation> explanations,
                       api::JsonWriter& json);

}  // namespace dray::cli::inline reports
