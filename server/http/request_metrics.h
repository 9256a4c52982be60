// SPDX-License-Identifier: Apache-2.0
// Metrics of requests, under the names of kube-apiserver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"
#include "base/world.h"
#include "metrics/registry.h"
#include "net/request_tracker.h"
#include "server/http/flow.h"
#include "server/http/in_flight.h"
#include "server/http/router.h"

namespace dray::server::http {

/// The facts of one request that metrics count.
struct RequestFacts {
  const Route& route;
  std::string_view method;  // as sent
  bool is_apply = false;    // a patch that is server-side apply
  bool is_dry_run = false;
  int code = 0;
  double seconds = 0;
  size_t answer_bytes = 0;
};

/// Safe from any thread. Requests of in-process components are not counted.
class RequestMetrics {
 public:
  /// `registry` outlives this and every OpenWatch.
  explicit RequestMetrics(metrics::Registry& registry);

  /// Counts a request. The number of series is bounded by verbs, resources and codes: paths and
  /// methods that a client makes up create none. O(1).
  void Count(const RequestFacts& facts);

  /// One open watch of `route`, until it is destroyed; CountEvent() counts the events sent.
  class OpenWatch {
   public:
    OpenWatch() = default;
    OpenWatch(metrics::Gauge open, metrics::Counter events, metrics::Histogram bytes)
        : open_(open), events_(events), bytes_(bytes) {
      open_.Add(1);
    }
    OpenWatch(OpenWatch&& other) noexcept
        : open_(std::exchange(other.open_, {})), events_(other.events_), bytes_(other.bytes_) {}
    OpenWatch& operator=(OpenWatch&&) = delete;
    OpenWatch(const OpenWatch&) = delete;
    OpenWatch& operator=(const OpenWatch&) = delete;
    ~OpenWatch() { open_.Add(-1); }

    void CountEvent(size_t bytes) const {
      events_.Add();
      bytes_.Observe(static_cast<double>(bytes));
    }

   private:
    metrics::Gauge open_;
    metrics::Counter events_;
    metrics::Histogram bytes_;
  };
  OpenWatch Open(const Route& route);

  /// Counts a refused request of `flow`: its sender, or all senders together, had used up a limit.
  void CountRefused(const Flow& flow);

  /// Sets the numbers of requests under way.
  void SetInFlight(size_t reads, size_t writes);
  /// Sets how long requests wait in the HTTP server. The series appear with the first call.
  void SetWaits(const net::RequestWaits& waits);

 private:
  struct Key {
    const api::KindInfo* info = nullptr;
    std::string_view verb, scope;  // literals
    std::string part;              // subresource; the path for routes other than resources
    bool is_dry_run = false;
    int code = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const;
  };
  struct Series {
    metrics::Counter requests, terminations;
    metrics::Histogram seconds, sli_seconds, bytes;
  };
  static Key KeyOf(const RequestFacts& facts);
  static metrics::Labels LabelsOf(const Key& key);
  Series Make(const Key& key);

  metrics::Registry& registry_;
  metrics::Gauge reads_, writes_;
  Mutex mutex_;
  std::unordered_map<Key, Series, Hash> series_ DRAY_GUARDED_BY(mutex_);
  uint64_t answers_waited_ DRAY_GUARDED_BY(mutex_) = 0;  // counted so far
};

}  // namespace dray::server::http
