// SPDX-License-Identifier: Apache-2.0
// What dray allocate prints.
#pragma once

#include <cstdio>
#include <span>
#include <string>

#include "planning/offline_cluster.h"

namespace dray::cli {

/// A row per device: claim, request, device, node; a line for what fits nowhere, with the requests
/// that stand in the way. With answers per node, rows for each of them.
void PrintAsTable(std::FILE* out, std::span<const planning::OfflineAnswer> answers);

/// The lines of PrintAsTable about what does not fit.
void PrintObstacles(std::FILE* out, std::span<const planning::OfflineAnswer> answers);

/// A v1 List of the claims with their allocations: what the API server would hold. A claim that
/// several pods share stands where the first of them got it, as the last of them left it.
std::string AllocatedClaims(std::span<const planning::OfflineAnswer> answers);

/// {"answers":[{"for":"pod default/a","node":"n","fits":true,"taken":true,"claims":[…]}, {…,
/// "fits":false,"reason":"…","claim":"default/b","request":"gpu","obstacle":"…"}]}: one entry per
/// pod or claim and node, or one without a node when the answer is the same everywhere.
std::string NodeAnswersAsJson(std::span<const planning::OfflineAnswer> answers);

}  // namespace dray::cli
