// SPDX-License-Identifier: Apache-2.0
// The user of a request: from a client certificate, a bearer token, or system:anonymous.
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

#include "base/frozen.h"
#include "base/result.h"
#include "base/share_budget.h"
#include "base/world.h"
#include "net/http.h"
#include "server/access/token_gate.h"
#include "server/verbs/context/request.h"

namespace dray::server::http {

/// The most tokens of a token file, and the most bytes of the file.
inline constexpr size_t kTokensMax = 10'000;
inline constexpr size_t kTokenFileBytesMax = size_t{16} << 20;

struct Authenticated {
  access::SharedUser user;
  bool anonymous = false;
  Frozen<ShareOwner> owner = nullptr;  // the owner whose share the request uses; null: exempt
};

/// Immutable except for its cache of tokens; safe from any thread.
class Authenticator {
 public:
  /// Knows no tokens: certificates only.
  Authenticator() = default;

  /// Reads kube-apiserver's static token file: lines of token,user,uid[,"group1,group2"], as CSV
  /// (RFC 4180). Empty lines are skipped. `seed` is a secret random number that keys the hash
  /// table, so that the time of a look-up reveals nothing about the tokens.
  /// Errors: kBadRequest a line has fewer than three fields; a token occurs twice; the file has
  /// more than kTokensMax tokens or kTokenFileBytesMax bytes.
  static Result<Authenticator> FromTokenFile(std::string_view csv, uint64_t seed = 0);

  /// Makes `owner` check bearer tokens that are not in the file. Its errors have no message when
  /// the token can never be valid. Call it before other threads use this.
  void AlsoAsk(std::function<Result<verbs::User>(std::string_view token)> owner) {
    owner_ = std::move(owner);
  }

  /// Sets the secret random number that keys the cache of tokens. Call it before other threads use
  /// this.
  void RememberBy(uint64_t seed) { gate_ = std::make_shared<access::TokenGate>(seed); }

  /// From now on a request without credentials is refused like one with unknown credentials. Call
  /// it before other threads use this.
  void RefuseAnonymous() { takes_anonymous_ = false; }

  /// The user of `request`. An unknown bearer token or certificate is an error; another scheme of
  /// Authorization counts as no credentials.
  /// Errors: kUnauthorized. kTooManyRequests  the address has sent many invalid tokens lately, and
  /// this one is not known to be valid.
  /// Takes time linear in the credentials, whatever the bytes of the known tokens. A certificate is
  /// read once for each connection.
  Result<Authenticated> Authenticate(const net::Request& request, WallTime now) const;
  /// The user of `token` in the token file, with the group system:authenticated; nothing when the
  /// token is unknown.
  std::optional<verbs::User> UserOf(std::string_view token) const;

 private:
  struct Known {
    std::string token;
    access::SharedUser user;  // with the group system:authenticated
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

/// system:anonymous, for a request that needs no credentials, whatever it shows.
Authenticated NoUser(const net::Request& request);

/// Whether two secrets are equal. The time depends only on their lengths.
bool EqualSecrets(std::string_view a, std::string_view b);

/// The user that Impersonate-User and its companion headers name, unchanged; nothing without these
/// headers. server/access/impersonation.h resolves that user and checks the permission. Errors:
/// kBadRequest  a group, uid or extra without a user.
Result<std::optional<verbs::User>> WantedUser(const net::Headers& headers);

/// True for 127.0.0.0/8 and ::1, with or without a port.
bool IsLoopback(std::string_view address);

}  // namespace dray::server::http
