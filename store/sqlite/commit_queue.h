// SPDX-License-Identifier: Apache-2.0
// The queue of transactions for the thread that commits.
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

/// The arguments of Store::ExpireDue.
struct Expire {
  WallTime now{};
  size_t max = 0;
};

struct Request {
  /// Transactions have passed CheckTxn.
  std::variant<Txn, Expire> what;
  /// The durable form of each operation's value, in order; "" for deletions.
  std::vector<std::string> bytes{};
  /// Bytes that count against the queue's limit.
  size_t size = 0;
  CommitCallback done{};
  /// The next `steps_after` requests belong to this one: all are carried out, or none is.
  size_t steps_after = 0;
};

/// Many producers, one consumer. Bounded by count and by bytes.
class CommitQueue {
 public:
  explicit CommitQueue(const SqliteOptions& options) : options_(options) {}

  /// Takes ownership of the request. On an error the request is unchanged.
  ///
  /// Errors: kTooManyRequests     full.
  ///         kServiceUnavailable  closed.
  std::optional<Error> Push(Request& request) { return Push(std::span(&request, 1)); }
  /// The same for requests that stay together: in one batch, with no other request in between.
  std::optional<Error> Push(std::span<Request> requests);

  /// Between Hold and Release, Take waits, so that its batch has all requests that are pushed
  /// meanwhile.
  void Hold();
  void Release();

  /// Returns the waiting requests, in order, as many as fit into one batch; at least one if there
  /// is any. kForWork waits for the first request and until no thread holds the queue; Wake and
  /// Close end the wait. kForAMoment waits at most ten milliseconds. If the last batch had more
  /// than one writer, Take first sleeps, for at most a millisecond, until as many writers are back,
  /// because one sync for all of them is worth more than an early start. It sleeps because a thread
  /// that yields instead falls behind all threads that compute.
  enum class Wait : uint8_t { kForWork, kForAMoment, kNever };
  ///
  /// On std::bad_alloc all requests stay in the queue.
  std::vector<Request> Take(Wait wait);
  /// Returns the first waiting request, if there is one. For use when there is no memory for a
  /// batch.
  std::optional<Request> TakeOne();

  /// Ends a wait of Take, now or the next one.
  void Wake();
  /// Refuses further requests. Those in the queue can still be taken.
  void Close();
  /// The queue is closed and empty, so no request will come any more.
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
  /// number of requests that wakes Take
  size_t expected_ DRAY_GUARDED_BY(mutex_) = 1;
  bool woken_ DRAY_GUARDED_BY(mutex_) = false;
  bool closed_ DRAY_GUARDED_BY(mutex_) = false;
  size_t last_batch_ = 0;  // writers of the last batch, with steps counted as one; used by the
                           // consumer only
};

}  // namespace dray::store::sqlite
