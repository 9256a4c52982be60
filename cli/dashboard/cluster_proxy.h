// SPDX-License-Identifier: Apache-2.0
// Hands the requests of `dray ui` on to a cluster, with the credentials of a kubeconfig.
#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "base/result.h"
#include "base/worker_pool.h"
#include "base/world.h"
#include "cli/input/live_input.h"
#include "client/http_client.h"
#include "client/kubeconfig.h"
#include "net/client/cancellation.h"
#include "net/http.h"
#include "server/http/pages.h"

namespace dray::cli::inline dashboard {

class ProxiedWatch;  // cluster_proxy.cc

/// Requests come checked (UiGate). Watches have a thread each, other requests share a few.
/// Questions of the page are answered here, from what the user of the kubeconfig may list.
class ClusterProxy final : public net::Handler {
 public:
  /// More watches are answered 429; a page has about ten.
  static constexpr size_t kWatchesMax = 256;

  /// Asks the server who it is. Errors: its URL, a certificate or a key does not parse, or it
  /// cannot be reached.
  static Result<std::unique_ptr<ClusterProxy>> Open(World& world,
                                                    const client::ClusterAccess& access,
                                                    size_t watches_max = kWatchesMax);
  ~ClusterProxy() override;
  ClusterProxy(const ClusterProxy&) = delete;
  ClusterProxy& operator=(const ClusterProxy&) = delete;

  /// The files of the page, for UiGate.
  const std::shared_ptr<const server::http::Pages>& pages() const { return pages_; }

  /// Breaks off what is under way. To stop: shut the HTTP server down, then Drain(), then destroy
  /// the server and this.
  void Drain();

  void Handle(net::Request request, std::shared_ptr<net::Responder> responder) override;

 private:
  ClusterProxy(World& world,
               std::unique_ptr<client::HttpClient> client,
               std::shared_ptr<const net::client::Cancellation> cancellation,
               LiveInput facts,
               size_t watches_max);

  void Forward(const net::Request& request, const std::shared_ptr<net::Responder>& responder);
  void Answer(const net::Request& request, const std::shared_ptr<net::Responder>& responder);
  Result<std::string> AnswerTo(const net::Request& request);
  void Watch(const net::Request& request, std::shared_ptr<net::Responder> responder);

  const std::unique_ptr<client::HttpClient> client_;
  const std::shared_ptr<const net::client::Cancellation> cancellation_;  // of client_
  std::atomic<bool> is_stopping_ = false;
  const std::shared_ptr<const server::http::Pages> pages_;
  const size_t watches_max_;
  Mutex mutex_;
  std::list<std::unique_ptr<ProxiedWatch>> watches_ DRAY_GUARDED_BY(mutex_);
  std::optional<WorkerPool> workers_;  // last: it uses everything above
};

}  // namespace dray::cli::inline dashboard
