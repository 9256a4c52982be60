// SPDX-License-Identifier: Apache-2.0
// One client of the workload: a seed, and its actions.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/simulated_world.h"
#include "base/strong.h"
#include "store/snapshot.h"
#include "store/store.h"
#include "tests/history/history.h"
#include "tests/history/recorder.h"
#include "tests/store_faults/workload.h"

namespace dray::store_faults {

/// The prefixes of the keys that clients use; watchers watch these prefixes.
inline constexpr std::array<std::string_view, 4> kWatchedPrefixes = {
    "/r/pods/", "/r/leases/", "/r/", "/r/pods/n/0"};

class ClientScript {
 public:
  ClientScript(history::Recorder& recorder,
               const Server& server,
               uint32_t client,
               const WorkloadOptions& options,
               std::atomic<int64_t>& seconds);
  /// Abandoned commits are over by then.
  ~ClientScript();
  ClientScript(const ClientScript&) = delete;
  ClientScript& operator=(const ClientScript&) = delete;

  void Run();

 private:
  uint64_t Below(uint64_t bound) { return random_.Next() % bound; }
  bool Percent(uint64_t percent) { return Below(100) < percent; }
  std::string AnyKey();
  store::Operation AnyChange(const std::string& key);
  Revision ModifiedIn(const store::Snapshot& snapshot, const std::string& key) const;

  void Step();
  void ReadSomething();
  void ReadPages();
  void Update();
  void Commit(store::Txn txn);
  void Note(bool has_failed);

  store::Store& store_;
  const uint32_t client_;
  const WorkloadOptions options_;
  std::atomic<int64_t>& seconds_;
  history::RecordedClient recorded_;
  SeededRandom random_;
  uint64_t values_ = 0;
  size_t errors_ = 0;
  std::atomic<int64_t> abandoned_{0};  // not over yet
};

}  // namespace dray::store_faults
