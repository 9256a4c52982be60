// SPDX-License-Identifier: Apache-2.0
// The changes to a cluster that dray whatif plans: their options and effects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
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
  std::string text;  // the value of the option
  /// Of kUpgradeDriver: `text` is the manifests themselves, not the name of a file. Questions of
  /// the dashboard come from other machines, so they never name files of this one.
  bool is_inline = false;
};

/// Adds an option for each kind of change. Parsing appends to `changes` in the order of the command
/// line. `changes` must outlive the command.
void AddChangeOptions(Command& command, std::vector<Change>& changes);

/// The pods that changes affect. Pods are "pod namespace/name".
struct Changed {
  std::set<std::string> moved;                      // pods that need a new place
  std::set<std::string> daemons;                    // pods of DaemonSets on new nodes
  std::map<std::string, std::string> nodes_before;  // of `moved`
};

struct ChangeRules {
  std::string default_namespace;                            // for names without one
  size_t nodes_max = std::numeric_limits<size_t>::max();    // that all changes together may add
  size_t objects_max = std::numeric_limits<size_t>::max();  // in the manifests of one change
};

/// Makes the changes, in this order. Errors: kBadRequest  a text is invalid or names a missing
/// object, or there are too many new nodes; those of reading files.
Result<Changed> MakeChanges(World& world,
                            std::span<const Change> changes,
                            const ChangeRules& rules,
                            planning::OfflineObjects& objects);

}  // namespace dray::cli::inline questions
