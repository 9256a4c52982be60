// SPDX-License-Identifier: Apache-2.0
// The calls of clients to a store while faults are injected: gets, lists in pages, updates that
// compare, deletions, transactions over several keys, and watches that resume after reconnecting.
//
// The seed determines the calls of each client, but not how the calls interleave, because clients
// are threads. Everything is recorded for the checker.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/simulated_world.h"
#include "base/strong.h"
#include "store/store.h"
#include "tests/history/recorder.h"

namespace dray::store_faults {

struct WorkloadOptions {
  uint64_t seed = 1;
  size_t clients = 4;
  size_t watchers = 3;
  size_t operations = 50;  // of each client, in one phase
  size_t keys = 8;
  size_t value_bytes_max = 60;
  /// The part of all writes for whose answer the client does not wait.
  uint64_t abandoned_percent = 0;
  /// The part of all puts whose record expires after a while.
  uint64_t expiring_percent = 10;
  /// How many revisions the first watcher waits before it reads again; 0: none.
  int64_t lag_revisions = 0;
  /// A client ends its phase after so many errors in a row.
  size_t errors_max = 3;
  /// For a run that continues in another process: the number of its first phase, and the start of
  /// its watches.
  uint32_t first_phase = 0;
  Revision follow_after = store::kFirstRevision;
};

/// A store and its number in the history. Clients and watchers are spread over several.
struct Server {
  store::Store* store = nullptr;
  uint32_t id = 0;
};

/// Runs in phases: between two of them stores may be closed, broken and opened again.
class Workload {
 public:
  Workload(history::Recorder& recorder, const WorkloadOptions& options);

  /// Injects faults, on a thread of its own; returns soon after `is_over`.
  using Chaos = std::function<void(const std::atomic<bool>& is_over)>;

  /// Runs all clients for this phase; then the watches catch up with their stores and stop. Nothing
  /// runs any more when this returns.
  void Run(const std::vector<Server>& servers, const Chaos& chaos = {});

  /// Reads the final state: a list of all keys, and a watch from the earliest revision.
  void Finish(const Server& server);

 private:
  struct Watcher {
    std::string prefix;
    Revision after{};  // the revision to continue after
  };

  void RunWatcher(const Server& server, uint32_t client, Watcher& watcher, int64_t lag_revisions);
  void Expire(store::Store& store);

  history::Recorder& recorder_;
  const WorkloadOptions options_;
  std::vector<Watcher> watchers_;
  uint32_t phase_;
  std::atomic<int64_t> seconds_{0};  // of the clock by which things expire
  std::atomic<bool> is_over_{false};
};

}  // namespace dray::store_faults
