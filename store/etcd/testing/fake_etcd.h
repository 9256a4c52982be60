// SPDX-License-Identifier: Apache-2.0
// For tests: a gRPC server that answers like an etcd of any version, for what Debian's etcd does
// not do: reliable progress, fragments, refusals of one's choice.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dray::store::etcd::testing {

/// How a watch was asked for.
struct FakeWatch {
  std::string key, range_end;
  int64_t start_revision = 0;
  bool progress_notify = false;
  bool prev_kv = false;
  bool fragment = false;
  bool has_leader_asked = false;  // the metadata was there
};

struct FakeEvent {
  std::string key, value;
  int64_t revision = 0;
};

/// Empty, whatever is written. All functions may be called from any thread.
class FakeEtcd {
 public:
  enum class Services : uint8_t { kAll, kNone };

  explicit FakeEtcd(std::string version, Services services = Services::kAll);
  FakeEtcd(const FakeEtcd&) = delete;
  FakeEtcd& operator=(const FakeEtcd&) = delete;
  ~FakeEtcd();

  std::string endpoint() const;
  /// What it says its newest revision is. Asked for progress, it says that it has told everything
  /// up to there.
  void SetRevision(int64_t revision);
  /// Transactions and leases fail with this gRPC code and text.
  void Refuse(int code, const std::string& message);

  /// Waits until a watch has been asked for, the `number`th (from 1), and tells how.
  FakeWatch AwaitWatch(size_t number);
  /// Waits until that many requests for progress have come, over all watches.
  void AwaitProgressRequests(size_t count);
  size_t progress_requests() const;
  /// Sends creations of keys to all watches, as one answer; `fragment`: more of it follows.
  void Send(const std::vector<FakeEvent>& events, bool fragment = false);
  /// Ends all watches: cancelled, as compacted through a revision, or for another reason.
  void CancelWatches(int64_t compacted, std::string reason);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dray::store::etcd::testing
