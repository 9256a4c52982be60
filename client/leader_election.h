// SPDX-License-Identifier: Apache-2.0
// One of several processes at a time does what only one should: it holds a Lease and renews it. The
// others watch the lease and take it over when it is no longer renewed, or was given up.
//
// Clocks of different machines are never compared: a lease counts as held for as long as its
// duration after this process last saw it change, by its own monotonic clock. So two processes may
// both believe to lead only if one of them is stopped for longer than the margin between
// RenewDeadline and duration; what they do must be safe then, and it is: the store decides between
// racing writes, and what a leader writes in process is refused once its term is over (LeaderTerm).
// Upstream: client-go/tools/leaderelection, with its default times.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "api/coordination_v1.h"
#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "client/client.h"
#include "client/loop.h"

namespace dray::client {

struct LeaderElectionOptions {
  std::string identity;  // of this process, unique for ever: host name and a UUID
  std::string lease_namespace = "kube-system";
  std::string lease_name = "dray";
  std::chrono::seconds duration{15};           // a lease that is not renewed ends after it
  std::chrono::milliseconds look_period{250};  // while another holds it: a read, no write
};

/// A leader that cannot renew for so long stops leading.
constexpr std::chrono::milliseconds RenewDeadline(std::chrono::milliseconds duration) {
  return duration * 2 / 3;
}
/// Between tries to keep the lease, and after a failure.
constexpr std::chrono::milliseconds RetryPeriod(std::chrono::milliseconds duration) {
  return duration * 2 / 15;
}

/// The time during which one process holds the lease, however often it renews it. What it writes
/// may be made to depend on it.
struct LeaderTerm {
  std::string lease_namespace, lease_name;
  std::string holder;
  int32_t transitions = 0;  // how often the lease had gone to another one
};

/// Called on the thread that runs the election, strictly in turn.
struct LeaderCallbacks {
  /// False when it could not start what a leader does: it is tried again with the next renewal.
  std::function<bool(const LeaderTerm&)> started;
  std::function<void()> stopped;
};

class LeaderElection {
 public:
  /// `client` and the parts of `world` outlive the election.
  LeaderElection(Client& client,
                 World& world,
                 Log log,
                 LeaderElectionOptions options,
                 LeaderCallbacks callbacks);
  LeaderElection(const LeaderElection&) = delete;
  LeaderElection& operator=(const LeaderElection&) = delete;
  ~LeaderElection() = default;

  /// One try to get or keep the lease; when the next one is due.
  std::optional<MonotonicTime> Step();

  /// Steps until Stop; then, if it leads, stops leading and gives the lease up, so that another
  /// process can have it at once.
  void Run();
  void Stop() { loop_.Stop(); }

  bool leading() const { return leading_; }

 private:
  enum class Try : uint8_t { kMine, kHeldByAnother, kFailed };

  Try AcquireOrRenew();
  Result<> Create(const ObjectRef& ref);
  Result<> Take(const api::Object& known);
  void Observe(const api::Object& lease);
  bool IsHeldByAnother(const api::coordination_v1::LeaseSpec& spec) const;
  api::coordination_v1::LeaseSpec NextSpec(const api::coordination_v1::LeaseSpec& known) const;
  void Lead();
  void StepDown();
  void GiveUp();

  Client& client_;
  World& world_;
  Log log_;
  const LeaderElectionOptions options_;
  const LeaderCallbacks callbacks_;
  Loop loop_;
  bool leading_ = false;
  MonotonicTime renewed_{};      // while it leads
  int32_t transitions_ = 0;      // of the lease as last written
  std::string observed_;         // resource version of the lease as last seen
  MonotonicTime observed_at_{};  // when that was new
  std::string last_failure_;     // logged once, not at every try
};

}  // namespace dray::client
