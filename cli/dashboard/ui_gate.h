// SPDX-License-Identifier: Apache-2.0
// Guards the page of `dray ui`: the user who opens its link first may read, and no other client.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/result.h"
#include "base/world.h"
#include "net/http.h"
#include "server/http/pages.h"

namespace dray::cli::inline dashboard {

/// The longest body of a log-in.
inline constexpr size_t kLoginBytesMax = 4096;

/// Whether a request only reads, so that `dray ui` hands it on. Paths below the Kubernetes API are
/// read with GET and HEAD, but not Secrets and no subresources, of which some act; reviews of the
/// user's own rights and the questions of the page are also posted.
///
/// Errors: kMethodNotAllowed, kForbidden, kNotFound, each with the rule.
Result<> CheckOnlyReads(const net::Request& request);

/// Whether the header Host names this machine as a server on a loopback `port`.
bool IsOwnHost(std::string_view host, uint16_t port);

/// Answers the files of the page and the log-in, and hands on what a user asks who has logged in.
/// Requests under another name than that of this machine are refused, as DNS can give any name to
/// 127.0.0.1, and so are requests from pages of others. There are no cookies.
class UiGate final : public net::Handler {
 public:
  /// 256 bits each.
  struct Secrets {
    std::string once;   // of the link
    std::string token;  // that it is exchanged for
  };
  static Secrets MakeSecrets(Random& random);

  /// `inner` outlives it; it gets the requests with their token.
  UiGate(std::shared_ptr<const server::http::Pages> pages, Secrets secrets, net::Handler& inner);

  /// The port that the server got; before that all requests are refused.
  void ListenOn(uint16_t port) { port_ = port; }

  net::Sender SenderOf(const net::Request& head) const override;
  void Handle(net::Request request, std::shared_ptr<net::Responder> responder) override;

 private:
  bool HasToken(const net::Request& request) const;
  Result<> CheckPlace(const net::Request& request) const;
  Result<std::string> LogIn(const net::Request& request);
  Result<> CheckRequest(const net::Request& request) const;

  const std::shared_ptr<const server::http::Pages> pages_;
  const Secrets secrets_;
  net::Handler& inner_;
  std::atomic<uint16_t> port_ = 0;
  std::atomic<bool> is_used_ = false;  // the link
};

/// Answers with a Status.
void RespondError(net::Responder& responder, const Error& error);

}  // namespace dray::cli::inline dashboard
