// SPDX-License-Identifier: Apache-2.0
// Tokens of service accounts: JSON Web Tokens that this server signs, and reads again (KEP-1205,
// RFC 7519). Whether the account is still there is for who holds the store to say.
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
/// Bytes of a token that is looked at.
inline constexpr size_t kTokenBytesMax = size_t{16} << 10;
/// Tokens whose signature is remembered as good.
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
  /// From when on its bearer should have had another one; it is good all the same.
  std::optional<int64_t> warn_after = {};
};

/// Whom the claims make of their bearer.
User UserOf(const TokenClaims& claims);

/// The three parts of a token, as they are written.
struct TokenParts {
  std::string_view head, payload, signature;
};

/// Safe from any thread.
class TokenIssuer {
 public:
  /// `audiences`: what this server is called by those who ask for tokens; not empty.
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

  /// The claims of a token that this issuer signed and that is good `now`.
  /// Errors: kUnauthorized, with upstream's words where it is for a reason that may be told; an
  ///         empty message when the token is somebody else's, or none. A reason that may be told
  ///         says nothing about the signature, which is verified last.
  Result<TokenClaims> Read(std::string_view token, WallTime now);

 private:
  std::optional<TokenClaims> Remembered(const std::string& digest);
  Result<TokenClaims> ClaimsIn(const TokenParts& parts) const;

  const net::tls::TokenKey key_;
  const std::string issuer_;
  const std::vector<std::string> audiences_;
  Mutex mutex_;
  std::map<std::string, TokenClaims> verified_
      DRAY_GUARDED_BY(mutex_);  // by their digest, so that time tells nothing
};

}  // namespace dray::server::access
