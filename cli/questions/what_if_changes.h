// SPDX-License-Identifier: Apache-2.0
// The changes to a cluster that dray whatif is asked about: options, and what they do.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "cli/command_line/command.h"
#include "planning/objects/offline_objects.h"

namespace dray::cli::inline questions {

enum class ChangeKind : uint8_t {
  kDelete,
  kDrain,
  kRemoveNode,
  kAddNodes,
  kLike,
  kTaint,
  kUpgradeDriver
};

struct Change {
  ChangeKind kind;
  std::string text;  // of the option
};

/// Adds an option for each kind of change; they are appended to `changes` in the order in which
/// they are given. `changes` outlives the command.
void AddChangeOptions(Command& command, std::vector<Change>& changes);

/// What changes lead to. Pods are "pod namespace/name".
struct Changed {
  std::set<std::string> moved;                      // pods that have to find a place because of it
  std::set<std::string> daemons;                    // pods of DaemonSets on nodes that are new
  std::map<std::string, std::string> nodes_before;  // of `moved`
};

/// Makes the changes, in this order. `default_namespace`: of names without one.
/// Errors: kBadRequest  a text cannot be read or names what is not there; those of reading files.
Result<Changed> MakeChanges(World& world,
                            std::span<const Change> changes,
                            const std::string& default_namespace,
                            planning::OfflineObjects& objects);

}  // namespace dray::cli::inline questions
