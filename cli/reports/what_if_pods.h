// SPDX-License-Identifier: Apache-2.0
// The output of dray whatif about single pods: the work, pods that a change displaces, and pods
// that already wait in the cluster.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <span>
#include <string>

#include "api/codec/json_writer.h"
#include "cli/terminal/output.h"
#include "planning/cluster/offline_cluster.h"
#include "planning/cluster/queued_pods.h"

namespace dray::cli::inline reports {

/// The nodes that pods ("pod namespace/name") had before the changes.
using NodesBefore = std::map<std::string, std::string>;

/// For users: where displaced pods go; prints nothing if there are none.
void PrintMoved(std::span<const planning::OfflineAnswer> answers,
                const NodesBefore& nodes_before,
                std::FILE* out);

enum class NamesShown : uint8_t { kSome, kAll };

/// For users: pods that run only with the change, pods that run only without it, and the number of
/// others. Prints nothing if no pod waits. kSome: as many of each list as fit on a screen.
void PrintQueued(const planning::QueuedReport& queued, NamesShown names, const Output& output);

/// For programs, as described in docs/whatif.md. Writes an element of "answers".
void WriteAnswer(const planning::OfflineAnswer& answer,
                 const NodesBefore& nodes_before,
                 api::JsonWriter& json);
/// Writes the member "waiting".
void WriteQueued(const planning::QueuedReport& queued, api::JsonWriter& json);

}  // namespace dray::cli::inline reports
