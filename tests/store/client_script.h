// SPDX-License-Identifier: Apache-2.0
// One client of the workload: a seed, and what it does.
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
#include "store/check/history.h"
#include "store/check/recorder.h"
#include "store/snapshot.h"
#include "store/store.h"
#include "tests/store/workload.h"

namespace dray::store {

/// What clients work on; watchers take these prefixes.
inline constexpr std::array<std::string_view, 4> kWatchedPrefixes = {
    "/r/pods/", "/r/leases/", "/r/", "/r/pods/n/0"};

class ClientScript {
 public:
  ClientScript(check::Recorder& recorder,
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
  Operation AnyChange(const std::string& key);
  Revision ModifiedIn(const Snapshot& snapshot, const std::string& key) const;

  void Step();
  void ReadSomething();
  void ReadPages();
  void Update();
  void Commit(Txn txn);
  void Note(bool has_failed);

  Store& store_;
  const uint32_t client_;
  const WorkloadOptions options_;
  std::atomic<int64_t>& seconds_;
  check::RecordedClient recorded_;
  SeededRandom random_;
  uint64_t values_ = 0;
  size_t errors_ = 0;
  std::atomic<int64_t> abandoned_{0};  // not over yet
};

}  // namespace dray::store
