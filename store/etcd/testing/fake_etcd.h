// SPDX-License-Identifier: Apache-2.0
// For tests: a gRPC server that answers like an etcd of any version, for cases that Debian's etcd
// does not cover: reliable progress, fragments, any refusal.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dray::store::etcd::testing {

/// The arguments of a watch request.
struct FakeWatch {
  std::string key, range_end;
  int64_t start_revision = 0;
  bool progress_notify = false;
  bool prev_kv = false;
  bool fragment = false;
  bool has_leader_asked = false;  // the request had the metadata "hasleader"
};

struct FakeEvent {
  std::string key, value;
  int64_t revision = 0;
};

/// An etcd that stays empty. All functions may be called from any thread.
class FakeEtcd {
 public:
  enum class Services : uint8_t { kAll, kNone };

  explicit FakeEtcd(std::string version, Services services = Services::kAll);
  FakeEtcd(const FakeEtcd&) = delete;
  FakeEtcd& operator=(const FakeEtcd&) = delete;
  ~FakeEtcd();

  std::string endpoint() const;
  /// Sets the newest revision that it reports. A progress answer then claims that the watch is
  /// complete up to there.
  void SetRevision(int64_t revision);
  /// Makes transactions and leases fail with this gRPC code and text.
  void Refuse(int code, const std::string& message);

  /// Waits for the watch request with this number (from 1) and returns its arguments.
  FakeWatch AwaitWatch(size_t number);
  /// Waits until `count` requests for progress have come, over all watches.
  void AwaitProgressRequests(size_t count);
  size_t progress_requests() const;
  /// Sends creations of keys to all watches, as one answer. `fragment`: more of the same answer
  /// follows.
  void Send(const std::vector<FakeEvent>& events, bool fragment = false);
  /// Cancels all watches, because of compaction through a revision or for another reason.
  void CancelWatches(int64_t compacted, std::string reason);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dray::store::etcd::testing
