// SPDX-License-Identifier: Apache-2.0
// The output of dray allocate.
#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "api/codec/json_writer.h"
#include "api/object.h"
#include "planning/cluster/offline_cluster.h"
#include "planning/objects/workloads.h"

namespace dray::cli::inline reports {

/// A row per device: claim, request, device, node. Then a line for each pod or claim that fits
/// nowhere, with the requests that fail. With answers per node, rows for each node.
void PrintAsTable(std::FILE* out, std::span<const planning::OfflineAnswer> answers);

/// The part below the table about an answer: why it does not fit, and the remedy.
std::string ObstaclesOf(const planning::OfflineAnswer& answer);
/// Prints ObstaclesOf for all of them.
void PrintObstacles(std::FILE* out, std::span<const planning::OfflineAnswer> answers);

/// The findings of dray allocate.
struct Allocated {
  std::vector<planning::OfflineAnswer> answers;  // in the order of decisions
  std::vector<planning::LeftOut> left_out;       // sorted
  bool is_cut_short = false;                     // the user interrupted it: answers are missing
};

/// Writes the member "devices": the claims' devices, each with claim, request and name.
void WriteDevices(const std::vector<api::Object>& claims, api::JsonWriter& json);

/// One object, described in docs/allocate.md: whether all fits, an answer for each pod and claim,
/// the claims with their allocations, and the objects left out; all sorted by name.
std::string JsonOf(const Allocated& allocated);

}  // namespace dray::cli::inline reports
