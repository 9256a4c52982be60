// SPDX-License-Identifier: Apache-2.0
// Everything but Send belongs to the thread of the reactor.
//
// Servers (in the sense of ServerAt) have pools. A pool holds its connections and the exchanges
// that wait for one. A connection is made for an exchange: if it fails, that exchange fails. When a
// connection becomes free, the pools take turns at the places that all share.
#include "net/client/async_client.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/mutex.h"
#include "base/worker_pool.h"
#include "net/client/addresses.h"
#include "net/client/async_connection.h"
#include "net/loop.h"
#include "net/reactor.h"
#include "net/transport.h"

namespace dray::net::client {
namespace {

// Threads that ask the name services. One name has at most all but one of them.
constexpr size_t kResolverThreads = 4;

constexpr std::string_view kDeadline = "context deadline exceeded";

struct Pool;

// An exchange from Send to its end.
struct Job {
  AsyncRequest request;
  std::string text;
  AsyncClient::Done done;
  Pool* pool = nullptr;
  std::shared_ptr<AsyncConnection> connection;  // null while it waits or its name is looked up
  Timer alarm;
  bool is_waiting = false;   // in pool->waiting
  bool wants_fresh = false;  // no kept connection again
};
using JobPtr = std::shared_ptr<Job>;

struct Idle {
  std::shared_ptr<AsyncConnection> connection;
  Timer alarm;
};

struct Pool {
  std::string key;
  size_t places = 0;  // connections, and those that are being made
  std::deque<JobPtr> waiting;
  std::vector<Idle> idle;  // the newest last
};

std::string KeyOf(const ServerAt& to) {
  return fmt::format("{} {} {}", HostPort(to.server), HostPort(to.address), fmt::ptr(to.tls.get()));
}

Endpoint AddressOf(const ServerAt& to) {
  return to.address.host.empty() ? to.server : to.address;
}

}  // namespace

class AsyncClient::Parts {
 public:
  Parts(const Clock& clock, AsyncClientOptions options)
      : clock_(clock), options_(std::move(options)), reactor_(clock) {
    IgnoreBrokenPipes();
    thread_ = std::thread([this] { reactor_.Run(); });
  }

  ~Parts() {
    Close();
    thread_.join();
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  void Send(AsyncRequest request, Done done) {
    const RequestExtras extras{.user_agent = options_.user_agent};
    Result<std::string> text = RequestText(request.to.server, request.request, extras);
    if (!text.has_value()) return done(std::move(text).failure());
    request.request.body = {};
    auto job = std::make_shared<Job>(
        Job{.request = std::move(request), .text = *std::move(text), .done = std::move(done)});
    {
      const MutexLock lock(mutex_);
      if (!is_closing_) {
        ++pending_;
        return reactor_.Post([this, job = std::move(job)] { Accept(job); });
      }
    }
    job->done(Closing());
  }

  void Close() {
    {
      const MutexLock lock(mutex_);
      if (std::exchange(is_closing_, true)) return;
    }
    reactor_.Post([this] { CloseAll(); });
  }

  size_t pending() const { return pending_; }

 private:
  static Failure Closing() {
    return Fail(StatusReason::kServiceUnavailable, "the client is closing");
  }

  void Accept(const JobPtr& job) {
    const std::chrono::nanoseconds left = job->request.deadline - clock_.Monotonic();
    if (left <= std::chrono::nanoseconds(0)) {
      return Finish(job, Fail(StatusReason::kTimeout, std::string(kDeadline)));
    }
    if (waiting_ >= options_.waiting_max) {
      return Finish(job,
                    Fail(StatusReason::kTooManyRequests, "too many calls wait for a connection"));
    }
    const std::string key = KeyOf(job->request.to);
    Pool& pool = pools_[key];
    pool.key = key;
    job->pool = &pool;
    job->alarm = reactor_.RunAfter(left, [this, weak = std::weak_ptr<Job>(job)] {
      if (const JobPtr late = weak.lock()) OnDeadline(late);
    });
    jobs_.insert({job.get(), job});
    Wait(job);
    Dispatch(pool);
  }

  void Wait(const JobPtr& job) {
    job->is_waiting = true;
    ++waiting_;
    job->pool->waiting.push_back(job);
  }

  // Gives waiting exchanges of the pool connections, as far as the limits allow. The pool may be
  // gone afterwards.
  void Dispatch(Pool& pool) {
    while (!pool.waiting.empty()) {
      const JobPtr job = pool.waiting.front();
      const bool uses_idle = !pool.idle.empty() && !job->wants_fresh;
      if (!uses_idle && !HasPlace(pool)) break;
      pool.waiting.pop_front();
      job->is_waiting = false;
      --waiting_;
      if (uses_idle) {
        Reuse(pool, job);
      } else {
        MakeConnection(pool, job);
      }
    }
    RemoveIfUnused(pool);
  }

  bool HasPlace(const Pool& pool) {
    if (pool.places >= options_.server_connections_max) return false;
    if (places_ >= options_.connections_max) DropOldestIdle();
    return places_ < options_.connections_max;
  }

  void Reuse(Pool& pool, const JobPtr& job) {
    job->connection = std::move(pool.idle.back().connection);
    pool.idle.pop_back();
    --idle_;
    job->connection->Begin(ExchangeOf(job, Kept::kYes));
  }

  void MakeConnection(Pool& pool, const JobPtr& job) {
    ++pool.places;
    ++places_;
    const Endpoint address = AddressOf(job->request.to);
    Result<std::vector<Address>> literal = Resolve(address, Lookup::kLiterals);
    if (literal.has_value()) return Connect(job, *std::move(literal));
    if (!resolver_.has_value()) resolver_.emplace(kResolverThreads);
    auto look_up = [this, job, address] {
      Result<std::vector<Address>> found = Resolve(address, Lookup::kNames);
      reactor_.Post(
          [this, job, found = std::move(found)]() mutable { OnResolved(job, std::move(found)); });
    };
    if (!resolver_->TryPost(std::move(look_up), address.host)) {
      FreePlace(pool);
      job->pool = nullptr;
      FinishLater(
          job, Fail(StatusReason::kServiceUnavailable, "dial tcp: too many names are looked up"));
    }
  }

  void OnResolved(const JobPtr& job, Result<std::vector<Address>> found) {
    Pool& pool = *job->pool;
    if (job->done == nullptr) {  // late
      FreePlace(pool);
      return DispatchAll();
    }
    if (found.has_value()) return Connect(job, *std::move(found));
    FreePlace(pool);
    Finish(job,
           Fail(StatusReason::kServiceUnavailable,
                fmt::format("dial tcp: lookup {}: {}",
                            AddressOf(job->request.to).host,
                            found.error().message)));
    DispatchAll();
  }

  void Connect(const JobPtr& job, std::vector<Address> addresses) {
    job->connection = std::make_shared<AsyncConnection>(
        reactor_, clock_, job->request.to.tls, job->request.to.server.host);
    job->connection->Open(std::move(addresses), ExchangeOf(job, Kept::kNo));
  }

  enum class Kept : uint8_t { kNo, kYes };

  AsyncConnection::Exchange ExchangeOf(const JobPtr& job, Kept kept) {
    const bool may_repeat = kept == Kept::kYes && job->request.is_repeatable;
    return {.text = may_repeat ? job->text : std::move(job->text),
            .response_bytes_max = job->request.response_bytes_max,
            .deadline = job->request.deadline,
            .done = [this, job, may_repeat](AsyncConnection::Outcome outcome) {
              OnOutcome(job, may_repeat, std::move(outcome));
            }};
  }

  // Inside a call of the connection, or of Dispatch.
  void OnOutcome(const JobPtr& job, bool may_repeat, AsyncConnection::Outcome outcome) {
    Pool& pool = *job->pool;
    const std::shared_ptr<AsyncConnection> connection = std::move(job->connection);
    if (connection->is_idle()) {
      KeepIdle(pool, connection);
    } else {
      FreePlace(pool);
    }
    if (outcome.is_unanswered && may_repeat) {
      job->wants_fresh = true;
      Wait(job);
    } else {
      Finish(job, std::move(outcome.answer));
    }
    DispatchSoon();
  }

  void KeepIdle(Pool& pool, const std::shared_ptr<AsyncConnection>& connection) {
    ++idle_;
    const AsyncConnection* const raw = connection.get();
    const std::string key = pool.key;
    const auto drop = [this, key, raw] { DropIdle(key, raw); };
    connection->Watch(drop);
    pool.idle.push_back(
        {.connection = connection, .alarm = reactor_.RunAfter(options_.idle_time, drop)});
    if (idle_ > options_.idle_max) DropOldestIdle();
  }

  void DropIdle(const std::string& key, const AsyncConnection* connection) {
    const auto pool = pools_.find(key);
    if (pool == pools_.end()) return;
    auto& idle = pool->second.idle;
    const auto found = std::ranges::find_if(
        idle, [&](const Idle& one) { return one.connection.get() == connection; });
    if (found == idle.end()) return;
    const std::shared_ptr<AsyncConnection> dropped = std::move(found->connection);
    idle.erase(found);
    --idle_;
    dropped->Close();
    FreePlace(pool->second);
    DispatchSoon();
  }

  // Drops a connection of the pool that has the most idle ones.
  void DropOldestIdle() {
    Pool* most = nullptr;
    for (auto& [key, pool] : pools_) {
      if (!pool.idle.empty() && (most == nullptr || pool.idle.size() > most->idle.size())) {
        most = &pool;
      }
    }
    if (most != nullptr) DropIdle(most->key, most->idle.front().connection.get());
  }

  void FreePlace(Pool& pool) {
    --pool.places;
    --places_;
  }

  void OnDeadline(const JobPtr& job) {
    if (job->done == nullptr) return;
    if (job->is_waiting) {
      std::erase(job->pool->waiting, job);
      --waiting_;
    } else if (job->connection != nullptr) {
      job->connection->Close();
      job->connection.reset();
      FreePlace(*job->pool);
    }
    Finish(job, Fail(StatusReason::kTimeout, std::string(kDeadline)));
    DispatchSoon();
  }

  void Finish(const JobPtr& job, Result<ClientResponse> answer) {
    Done done = std::exchange(job->done, nullptr);
    job->alarm = Timer();
    jobs_.erase(job.get());
    --pending_;
    done(std::move(answer));
  }

  // Not inside Dispatch, whose pool must stay.
  void FinishLater(const JobPtr& job, Failure failure) {
    reactor_.loop().RunNext([this, job, failure = std::move(failure)]() mutable {
      if (job->done != nullptr) Finish(job, std::move(failure));
      DispatchAll();
    });
  }

  // Once, after the current callback.
  void DispatchSoon() {
    if (std::exchange(is_dispatch_due_, true)) return;
    reactor_.loop().RunNext([this] {
      is_dispatch_due_ = false;
      DispatchAll();
    });
  }

  // The pools take turns at being first.
  void DispatchAll() {
    std::vector<std::string> keys;
    keys.reserve(pools_.size());
    for (const auto& [key, pool] : pools_) keys.push_back(key);
    if (keys.empty()) return;
    turn_ = (turn_ + 1) % keys.size();
    std::ranges::rotate(keys, keys.begin() + static_cast<std::ptrdiff_t>(turn_));
    for (const std::string& key : keys) {
      const auto found = pools_.find(key);
      if (found != pools_.end()) Dispatch(found->second);
    }
  }

  void RemoveIfUnused(const Pool& pool) {
    if (pool.places == 0 && pool.waiting.empty()) pools_.erase(std::string(pool.key));
  }

  void CloseAll() {
    const std::map<Job*, JobPtr> jobs = std::move(jobs_);
    jobs_.clear();
    for (const auto& [raw, job] : jobs) {
      if (job->connection != nullptr) job->connection->Close();
      job->connection.reset();
      if (job->done != nullptr) Finish(job, Closing());
    }
    for (auto& [key, pool] : pools_) {
      for (const Idle& one : pool.idle) one.connection->Close();
    }
    reactor_.Stop();
  }

  const Clock& clock_;
  const AsyncClientOptions options_;
  std::atomic<size_t> pending_ = 0;
  Mutex mutex_;
  bool is_closing_ DRAY_GUARDED_BY(mutex_) = false;
  Reactor reactor_;
  std::map<std::string, Pool> pools_;
  std::map<Job*, JobPtr> jobs_;
  size_t places_ = 0, idle_ = 0, waiting_ = 0;  // of all pools
  size_t turn_ = 0;
  bool is_dispatch_due_ = false;
  std::optional<WorkerPool> resolver_;  // posts to the reactor, and so ends before it
  std::thread thread_;
};

AsyncClient::AsyncClient(const Clock& clock, AsyncClientOptions options)
    : parts_(std::make_unique<Parts>(clock, std::move(options))) {}

AsyncClient::~AsyncClient() = default;

void AsyncClient::Send(AsyncRequest request, Done done) {
  parts_->Send(std::move(request), std::move(done));
}

void AsyncClient::Close() {
  parts_->Close();
}

size_t AsyncClient::pending() const {
  return parts_->pending();
}

}  // namespace dray::net::client
