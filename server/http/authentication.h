// SPDX-License-Identifier: Apache-2.0
// Who a request comes from: client certificates, static bearer tokens, or nobody in particular.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/published.h"
#include "base/result.h"
#include "base/share_budget.h"
#include "base/world.h"
#include "net/http.h"
#include "server/access/token_gate.h"
#include "server/verbs/request.h"

namespace dray::server::http {

/// Lines of a token file.
inline constexpr size_t kTokensMax = 10'000;
inline constexpr size_t kTokenFileBytesMax = size_t{16} << 20;

struct Authenticated {
  access::SharedUser user;
  bool anonymous = false;
  Frozen<ShareOwner> owner = nullptr;  // whose share he has; null: exempt
};

/// Immutable, but for what it remembers of tokens; safe from any thread.
class Authenticator {
 public:
  /// Knows no tokens: certificates only.
  Authenticator() = default;

  /// Reads kube-apiserver's static token file: lines of token,user,uid[,"group1,group2"], as CSV
  /// (RFC 4180). Empty lines are skipped. `seed` is chance that nobody outside knows: where a token
  /// stands in memory follows from it, so how long a look-up takes says nothing about tokens.
  /// Errors: kBadRequest  a line has fewer than three fields, or a token comes twice; more than
  /// kTokensMax tokens or kTokenFileBytesMax bytes.
  static Result<Authenticator> FromTokenFile(std::string_view csv, uint64_t seed = 0);

  /// Asks `owner` about bearer tokens that the file does not have. Its errors have no message where
  /// the token can never be good. Call it before others use this.
  void AlsoAsk(std::function<Result<verbs::User>(std::string_view token)> owner) {
    owner_ = std::move(owner);
  }

  /// Chance that nobody outside knows, for what is remembered of tokens. Call it before others use
  /// this.
  void RememberBy(uint64_t seed) { gate_ = std::make_shared<access::TokenGate>(seed); }

  /// From now on who shows nothing is refused like one who shows what is not known. Call it before
  /// others use this.
  void RefuseAnonymous() { takes_anonymous_ = false; }

  /// The user behind `request`. A bearer token or certificate that is shown and not known is an
  /// error; another kind of Authorization counts as none.
  /// Errors: kUnauthorized. kTooManyRequests  the address has shown many tokens lately that are
  /// nobody's, and this one is not known.
  /// Time that is linear in what was shown, and depends on no token's bytes. What a certificate
  /// says is read once a connection.
  Result<Authenticated> Authenticate(const net::Request& request, WallTime now) const;
  /// The user that shows `token`, with the group of all who are known; nothing when nobody does.
  std::optional<verbs::User> UserOf(std::string_view token) const;

 private:
  struct Known {
    std::string token;
    access::SharedUser user;  // with the group of all who are known
    Frozen<ShareOwner> owner;
  };
  const Known* Find(std::string_view token) const;
  uint64_t PlaceOf(std::string_view token) const;
  Result<verbs::User> Issued(std::string_view token, const net::Peer& peer, WallTime now) const;

  bool takes_anonymous_ = true;
  uint64_t seed_ = 0;
  std::unordered_multimap<uint64_t, Known> tokens_;
  std::function<Result<verbs::User>(std::string_view token)> owner_;
  std::shared_ptr<access::TokenGate> gate_ = std::make_shared<access::TokenGate>(0);
};

/// Whether two secrets are the same. Time depends on their lengths alone.
bool EqualSecrets(std::string_view a, std::string_view b);

/// Whom Impersonate-User and its companions name, as they say it; nothing: nobody. Who that is
/// then, and whether he may be, is for others to say (server/access/impersonation.h). Errors:
/// kBadRequest  a group, uid or extra without a user.
Result<std::optional<verbs::User>> WantedUser(const net::Headers& headers);

/// True for 127.0.0.0/8 and ::1, with or without a port.
bool IsLoopback(std::string_view address);

}  // namespace dray::server::http
