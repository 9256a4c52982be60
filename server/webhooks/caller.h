// SPDX-License-Identifier: Apache-2.0
// Calls webhooks over HTTPS, for admission and for conversion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/frozen.h"
#include "base/mutex.h"
#include "base/share_budget.h"
#include "base/world.h"
#include "net/client/async_client.h"
#include "net/client/request_text.h"
#include "net/tls/context.h"
#include "server/webhooks/address.h"

namespace dray::server::webhooks {

/// Bytes of all reviews that are under way, and those of one owner: an eighth of them.
inline constexpr size_t kCallBytesMax = size_t{1} << 30;
/// Sets of trusted certificates that are kept ready (upstream's limit of clients).
inline constexpr size_t kTrustedMax = 200;

struct HookCall {
  HookAddress address;
  std::string ca_bundle = {};  // PEM; empty: the authorities of the system
  std::string body = {};       // JSON
  MonotonicTime deadline = {};
  size_t answer_bytes_max = 0;
  /// The owner whose share of kCallBytesMax the call uses; null: exempt.
  Frozen<ShareOwner> owner = nullptr;
};

/// A request of a client that another server answers.
struct ForwardedCall {
  HookAddress address;
  std::string ca_bundle = {};  // PEM; empty: the authorities of the system
  bool trusts_anything = false;
  net::client::ClientRequest request;
  MonotonicTime deadline = {};
  size_t answer_bytes_max = 0;
  Frozen<ShareOwner> owner = nullptr;  // as of HookCall
};

/// Why there is no answer, in the words of upstream: `Post "https://…": dial tcp …`.
struct HookProblem {
  std::string why;
  bool is_about_client = false;  // the configuration is to blame: nothing was sent
};

/// An answer with whatever status.
using HookOutcome = std::expected<net::client::ClientResponse, HookProblem>;

/// Safe from any thread. The client, and its thread, are made at the first call.
class Caller {
 public:
  /// The clock outlives it.
  explicit Caller(const Clock& clock) : clock_(clock) {}
  ~Caller();
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  /// Fails the calls under way, and all later ones.
  void Close();

  using Done = std::move_only_function<void(HookOutcome)>;

  /// Posts the body, with `timeout` as the query: whole seconds until the deadline. `done` is
  /// called once: at once, or on the thread of the client, which must not wait. Redirects are
  /// answers.
  void Post(HookCall call, Done done);
  /// Sends a request as it is; otherwise the same.
  void Forward(ForwardedCall call, Done done);

 private:
  struct Trusted {
    std::string ca_bundle;
    bool is_anything = false;  // certificates are not checked
    std::shared_ptr<const net::tls::ClientContext> context;
    uint64_t last_use = 0;
  };
  std::expected<std::shared_ptr<const net::tls::ClientContext>, std::string> ContextFor(
      const std::string& ca_bundle, bool trusts_anything);

  const Clock& clock_;
  const std::shared_ptr<ShareBudget> bytes_ =
      std::make_shared<ShareBudget>(ShareLimits::EighthsOf(kCallBytesMax));
  Mutex mutex_;
  std::vector<Trusted> trusted_ DRAY_GUARDED_BY(mutex_);
  uint64_t uses_ DRAY_GUARDED_BY(mutex_) = 0;
  /// Null where there is none, and none can be made.
  net::client::AsyncClient* ClientOrNull();

  bool is_closed_ DRAY_GUARDED_BY(mutex_) = false;
  std::unique_ptr<net::client::AsyncClient> client_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::server::webhooks
