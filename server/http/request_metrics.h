// SPDX-License-Identifier: Apache-2.0
// What `/metrics` says of requests, under the names that upstream's API server has.
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

/// One request, as far as it is counted.
struct RequestFacts {
  const Route& route;
  std::string_view method;  // as sent
  bool is_apply = false;    // a patch that is server-side apply
  bool is_dry_run = false;
  int code = 0;
  double seconds = 0;
  size_t answer_bytes = 0;
};

/// Safe from any thread. Requests of components in this process are not requests: they are not
/// counted.
class RequestMetrics {
 public:
  /// `registry` outlives this and what OpenWatch answers.
  explicit RequestMetrics(metrics::Registry& registry);

  /// Series are as many as there are verbs, resources and codes: what a client makes up, paths and
  /// methods among it, makes none. O(1).
  void Count(const RequestFacts& facts);

  /// One watch of `route`: `events` counts what is sent. It is open until this is destroyed.
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

  /// One of `flow` was refused because its sender, or all together, would have more than there is.
  void CountRefused(const Flow& flow);

  /// How many are being carried out, looked at now.
  void SetInFlight(size_t reads, size_t writes);
  /// How long requests wait in the HTTP server now. Its series appear with the first call.
  void SetWaits(const net::RequestWaits& waits);

 private:
  struct Key {
    const api::KindInfo* info = nullptr;
    std::string_view verb, scope;  // literals
    std::string part;              // subresource; the path, of what is no resource
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
