// SPDX-License-Identifier: Apache-2.0
// What the connections of one reactor share. Everything here is touched on its thread only.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/log.h"
#include "base/share_budget.h"
#include "base/world.h"
#include "net/http.h"
#include "net/reactor.h"
#include "net/request_tracker.h"
#include "net/server/options.h"

namespace dray::net::server {

class Connection;

/// What all reactors of one server count together.
struct ServerLoad {
  explicit ServerLoad(const HttpServerOptions& options)
      : places(std::make_shared<ShareBudget>(options.connection_limits())),
        requests(std::make_shared<ShareBudget>(ShareLimits::EighthsOf(options.request_bytes_max))),
        strangers(std::make_shared<ShareBudget>(ShareLimits::WholeOf(options.stranger_bytes_max))) {
  }

  std::atomic<size_t> connections{0};
  const std::shared_ptr<ShareBudget> places;     // connections of senders who are known
  const std::shared_ptr<ShareBudget> requests;   // bytes of what they ask
  const std::shared_ptr<ShareBudget> strangers;  // bytes of all else
};

/// Bytes read at once, and bytes of one TLS record.
inline constexpr size_t kReadScratchBytes = size_t{64} << 10;
inline constexpr size_t kWriteScratchBytes = size_t{16} << 10;
struct ReactorContext {
  /// As many whole ticks as `timeout` is long, at least.
  uint64_t TicksIn(std::chrono::milliseconds timeout) const;
  /// The tick after which something due in `timeout` is late.
  uint64_t TickAfter(std::chrono::milliseconds timeout) const;

  const Clock& clock;
  const Log& log;
  const HttpServerOptions& options;
  Handler& handler;
  ServerLoad& load;
  Reactor reactor{clock};
  std::shared_ptr<RequestTracker> tracker = std::make_shared<RequestTracker>(clock);
  std::function<void(const Connection&)> on_known = {};   // it has shown a sender that is known
  std::function<void(const Connection&)> on_closed = {};  // last call about a connection
  /// There is no place left among those of its owner, or of all: whether one was made, by closing
  /// an idle one.
  std::function<bool(const Connection&)> make_room = {};
  std::array<char, kReadScratchBytes> read_scratch = {};
  std::array<char, kWriteScratchBytes> write_scratch = {};
  std::string date = {};  // of the newest tick, for the Date field
  uint64_t tick = 1;
};

}  // namespace dray::net::server
