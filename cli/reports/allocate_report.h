// SPDX-License-Identifier: Apache-2.0
// What dray allocate prints.
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

/// A row per device: claim, request, device, node; a line for what fits nowhere, with the requests
/// that stand in the way. With answers per node, rows for each of them.
void PrintAsTable(std::FILE* out, std::span<const planning::OfflineAnswer> answers);

/// What PrintAsTable says of an answer below the table: why it does not fit, and what to do.
std::string ObstaclesOf(const planning::OfflineAnswer& answer);
/// That of all of them.
void PrintObstacles(std::FILE* out, std::span<const planning::OfflineAnswer> answers);

/// What dray allocate found out.
struct Allocated {
  std::vector<planning::OfflineAnswer> answers;  // in the order in which they were decided
  std::vector<planning::LeftOut> left_out;       // sorted
  bool is_cut_short = false;                     // somebody ended it: there may be more
};

/// The member "devices": those that the claims got, each with claim, request and name.
void WriteDevices(const std::vector<api::Object>& claims, api::JsonWriter& json);

/// One object, described in docs/allocate.md: whether all fits, an answer for each pod and claim,
/// the claims as they are then, and what takes no part; all sorted by name.
std::string JsonOf(const Allocated& allocated);

}  // namespace dray::cli::inline reports
