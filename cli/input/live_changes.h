// SPDX-License-Identifier: Apache-2.0
// Whether a running cluster has changed since it was read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "cli/input/live_input.h"

namespace dray::cli::inline input {

/// Watches the kinds that ReadLive listed. Not thread-safe; the world must outlive it.
class LiveChanges {
 public:
  /// Errors: as ReadLive.
  static Result<std::unique_ptr<LiveChanges>> Connect(World& world,
                                                      const std::string& kubeconfig,
                                                      const std::string& context);
  ~LiveChanges();

  /// Starts watches at the versions of `listed`, and resets any().
  void Follow(const std::vector<ListedVersion>& listed);
  /// Whether an event has arrived, or a watch has failed.
  bool any() const;

 private:
  struct State;
  explicit LiveChanges(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dray::cli::inline input
