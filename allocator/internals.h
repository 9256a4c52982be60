// SPDX-License-Identifier: Apache-2.0
// What the layers above, tests and benches see of the classes of the face. Not installed.
#pragma once

#include "allocator/search/options.h"
#include "allocator/snapshot/cluster_state.h"
#include "base/frozen.h"
#include "dray/allocator.h"
#include "dray/snapshot.h"

namespace dray::allocator::inline v0 {

class Internals {
 public:
  /// The data that the search works on.
  static Frozen<snapshot::ClusterState> ClusterOf(const Snapshot& snapshot);

  /// An attempt with some pruning of the search switched off, for tests and benches.
  static Attempt AttemptWith(const Snapshot& snapshot,
                             Attempt::Claims claims,
                             const search::SearchOptions& options);
};

}  // namespace dray::allocator::inline v0
