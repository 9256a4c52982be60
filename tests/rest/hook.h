// SPDX-License-Identifier: Apache-2.0
// A scripted webhook of a scenario, as the recordings' README describes it: HTTPS on a free
// loopback port, with answers by path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "base/mutex.h"
#include "base/result.h"
#include "base/world.h"
#include "net/http.h"
#include "net/server/http_server.h"

namespace dray::rest {

/// One request that a hook got.
struct HookCall {
  std::string method, target, content_type, accept, body;
};

/// What all hooks of a scenario were asked, in order. Thread-safe.
class HookCalls {
 public:
  void Add(HookCall call);
  /// Those since the last Take().
  std::vector<HookCall> Take();

 private:
  Mutex mutex_;
  std::vector<HookCall> calls_ DRAY_GUARDED_BY(mutex_);
};

/// Serves until it is destroyed. One that another hook has replaced still serves the connections
/// that it had, as the hook of the recordings did.
class Hook final : public net::Handler {
 public:
  /// `step` describes the hook, and outlives it; certificates lie in the folder `tls`.
  /// Errors: those of the disk and of the server.
  static Result<std::unique_ptr<Hook>> Start(Disk& disk,
                                             const std::string& tls,
                                             const boost::json::object& step,
                                             HookCalls& calls);

  uint16_t port() const { return port_; }
  /// Connections that have had no answer yet get none from now on.
  void Retire();

  void Handle(net::Request request, std::shared_ptr<net::Responder> responder) override;

 private:
  Hook(const boost::json::object& step, HookCalls& calls) : step_(step), calls_(calls) {}

  /// Whether the peer's connection gets answers.
  bool Serves(const std::string& peer);
  /// The answer whose condition holds, or the next of those without one; null: the path is unknown.
  const boost::json::object* Choose(std::string_view path, const boost::json::value& review);

  const boost::json::object& step_;
  HookCalls& calls_;
  uint16_t port_ = 0;
  Mutex mutex_;
  std::map<std::string, size_t, std::less<>> taken_ DRAY_GUARDED_BY(mutex_);  // by path
  std::set<std::string> served_ DRAY_GUARDED_BY(mutex_);                      // addresses of peers
  bool is_retired_ DRAY_GUARDED_BY(mutex_) = false;
  std::unique_ptr<net::server::HttpServer> server_;  // null: it does not listen
};

}  // namespace dray::rest
