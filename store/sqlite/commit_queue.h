// SPDX-License-Identifier: Apache-2.0
// Transactions on their way to the thread that commits.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "base/world.h"
#include "store/sqlite/options.h"
#include "store/store.h"

namespace dray::store::sqlite {

/// What Store::ExpireDue asks for.
struct Expire {
  WallTime now{};
  size_t max = 0;
};

struct Request {
  /// Checked (CheckTxn).
  std::variant<Txn, Expire> what;
  /// The durable form of each operation's value, in order; "" for deletions. Held by the values.
  std::vector<std::string_view> bytes{};
  /// What counts against the queue's limit.
  size_t size = 0;
  CommitCallback done{};
  /// Of the requests that follow, so many are carried out after this one, or none of them is.
  size_t steps_after = 0;
};

/// Many producers, one consumer. Bounded by count and by bytes.
class CommitQueue {
 public:
  explicit CommitQueue(const SqliteOptions& options) : options_(options) {}

  /// Takes the request over, or leaves it as it is and says why.
  ///
  /// Errors: kTooManyRequests     full.
  ///         kServiceUnavailable  closed.
  std::optional<Error> Push(Request& request) { return Push(std::span(&request, 1)); }
  /// The same for some that stay together: in one batch, with nothing in between.
  std::optional<Error> Push(std::span<Request> requests);

  /// Between Hold and Release Take waits on, for all that comes in between.
  void Hold();
  void Release();

  /// The waiting requests, in order, as many as fit into one batch; at least one if there is any.
  /// With kForWork it waits for the first, and while they are held; or until Wake or Close is
  /// called; with kForAMoment ten milliseconds at most. When the last batch
  /// had more than one, it waits for a moment, a millisecond at most, until as many writers are
  /// back: one sync for all of them is worth more than an early start. It sleeps meanwhile. A
  /// thread that yields instead falls behind all threads that compute.
  enum class Wait : uint8_t { kForWork, kForAMoment, kNever };
  ///
  /// Memory that cannot be had (std::bad_alloc) leaves all requests where they are.
  std::vector<Request> Take(Wait wait);
  /// The first waiting request, if there is one; for when there is no memory for a batch.
  std::optional<Request> TakeOne();

  /// Ends a wait of Take, now or the next one.
  void Wake();
  /// Refuses further requests. Those that wait can still be taken.
  void Close();
  /// Closed and empty: nothing will come any more.
  bool is_drained() const;

 private:
  std::optional<Error> WhyNot(std::span<const Request> requests) const DRAY_REQUIRES(mutex_);
  void Gather(size_t expected);

  const SqliteOptions& options_;
  mutable Mutex mutex_;
  Condition filled_;
  std::deque<Request> requests_ DRAY_GUARDED_BY(mutex_);
  size_t bytes_ DRAY_GUARDED_BY(mutex_) = 0;
  size_t holders_ DRAY_GUARDED_BY(mutex_) = 0;
  /// Take is not woken for fewer requests.
  size_t expected_ DRAY_GUARDED_BY(mutex_) = 1;
  bool woken_ DRAY_GUARDED_BY(mutex_) = false;
  bool closed_ DRAY_GUARDED_BY(mutex_) = false;
  size_t last_batch_ = 0;  // how many had come together, steps as one; the consumer's
};

}  // namespace dray::store::sqlite
