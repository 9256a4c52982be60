// SPDX-License-Identifier: Apache-2.0
// What dray whatif says of single pods: of the work, of pods that a change drives away, and of pods
// that wait in the cluster already.
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

/// For people: where pods go that a change drives away; nothing where there are none.
void PrintMoved(std::span<const planning::OfflineAnswer> answers,
                const NodesBefore& nodes_before,
                std::FILE* out);

enum class NamesShown : uint8_t { kSome, kAll };

/// For people: pods that run only with the change, pods that run only without it, and how many
/// others there are. Nothing where no pod waits. kSome: of each list as many as a screen holds.
void PrintQueued(const planning::QueuedReport& queued, NamesShown names, const Output& output);

/// For programs, each as docs/whatif.md has it.
/// A member of "answers".
void WriteAnswer(const planning::OfflineAnswer& answer,
                 const NodesBefore& nodes_before,
                 api::JsonWriter& json);
/// The member "waiting".
void WriteQueued(const planning::QueuedReport& queued, api::JsonWriter& json);

}  // namespace dray::cli::inline reports
