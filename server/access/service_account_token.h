// SPDX-License-Identifier: Apache-2.0
// Tokens of service accounts: JSON Web Tokens that this server signs and verifies (KEP-1205, RFC
// 7519). The caller must check in the store whether the account still exists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "base/world.h"
#include "net/tls/token_key.h"
#include "server/access/user.h"

namespace dray::server::access {

inline constexpr std::string_view kUsualIssuer = "https://kubernetes.default.svc";
/// Limit of the bytes of a token; longer ones are not read.
inline constexpr size_t kTokenBytesMax = size_t{16} << 10;
/// Limit of the tokens whose signature is cached as valid.
inline constexpr size_t kVerifiedMax = 4096;

/// An object that a token names.
struct TokenSubject {
  std::string name, uid;
};

struct TokenClaims {
  std::vector<std::string> audiences;
  int64_t issued = 0, not_before = 0, expires = 0;  // seconds since the Unix epoch
  std::string id;
  std::string namespace_;
  TokenSubject account;
  std::optional<TokenSubject> pod = {}, node = {}, secret = {};
  /// After this time its bearer should have renewed it, but it is still valid.
  std::optional<int64_t> warn_after = {};
};

/// The user of a token with these claims.
User UserOf(const TokenClaims& claims);

/// The three parts of a token, as in its text.
struct TokenParts {
  std::string_view head, payload, signature;
};

/// Safe from any thread.
class TokenIssuer {
 public:
  /// `audiences`: the names of this server in requests for tokens; not empty.
  explicit TokenIssuer(net::tls::TokenKey key,
                       std::string issuer = std::string(kUsualIssuer),
                       std::vector<std::string> audiences = {std::string(kUsualIssuer)});

  const std::string& issuer() const { return issuer_; }
  const std::vector<std::string>& audiences() const { return audiences_; }
  /// /openid/v1/jwks
  std::string KeySet() const;
  /// /.well-known/openid-configuration; `keys_url` is where the keys are.
  std::string Configuration(std::string_view keys_url) const;

  /// A token with these claims. Errors: kInternalError.
  Result<std::string> Issue(const TokenClaims& claims) const;

  /// The claims of a token that this issuer signed and that is valid at `now`.
  ///
  /// Errors: kUnauthorized  in upstream's words if the client may know the reason; else an empty
  ///                        message, also for a token of another issuer, or no token. A reason
  ///                        that the client may know reveals nothing about the signature, which
  ///                        is verified last.
  Result<TokenClaims> Read(std::string_view token, WallTime now);

 private:
  std::optional<TokenClaims> Remembered(const std::string& digest);
  Result<TokenClaims> ClaimsIn(const TokenParts& parts) const;

  const net::tls::TokenKey key_;
  const std::string issuer_;
  const std::vector<std::string> audiences_;
  Mutex mutex_;
  std::map<std::string, TokenClaims> verified_
      DRAY_GUARDED_BY(mutex_);  // keyed by a digest, so that timing reveals nothing
};

}  // namespace dray::server::access
