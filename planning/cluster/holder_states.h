// SPDX-License-Identifier: Apache-2.0
// The states of claims that are in the way, derived from the pods that name them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "planning/explain/explanation.h"
#include "planning/objects/offline_objects.h"

namespace dray::planning::inline cluster {

/// Copies what it needs from the objects.
class HolderStates {
 public:
  explicit HolderStates(const OfflineObjects& objects);

  /// Sets the state of each claim that is in the way of `what` ("pod namespace/name", or a claim):
  /// whether it is used at all, and whether its pods have ended, are being deleted or have a lower
  /// priority.
  void Mark(const std::string& what, Explanation& explanation) const;

 private:
  struct User {
    std::string pod;  // its name
    bool has_ended = false;
    bool is_going = false;
    int32_t priority = 0;
  };
  HolderState StateOf(const Holder& holder, const User* asking) const;

  bool knows_pods_;
  std::map<std::string, User, std::less<>> pods_;                // by namespace/name
  std::map<std::string, std::vector<User>, std::less<>> users_;  // by claim
};

}  // namespace dray::planning::inline cluster
