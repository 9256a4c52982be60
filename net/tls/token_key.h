// SPDX-License-Identifier: Apache-2.0
// The key that signs JSON Web Tokens: ES256 (P-256) or RS256 (RSA), RFC 7518.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "net/tls/openssl.h"

namespace dray::net::tls {

/// Bits of an RSA key, at least: what RFC 7518 asks for.
inline constexpr int kRsaBitsMin = 2048;

/// Immutable; safe from any thread.
class TokenKey {
 public:
  /// A private key without a pass phrase.
  /// Errors: kBadRequest  not such a key, or neither P-256 nor RSA of kRsaBitsMin bits.
  static Result<TokenKey> FromPem(std::string_view pem);

  /// "ES256" or "RS256".
  std::string_view algorithm() const { return is_rsa_ ? "RS256" : "ES256"; }
  /// What Kubernetes calls it: the SHA-256 of the public key, in base64 for URLs.
  const std::string& id() const { return id_; }
  /// The members that a JSON Web Key (RFC 7517) of the public key has, all of them texts.
  const std::vector<std::pair<std::string, std::string>>& jwk() const { return jwk_; }

  /// The bytes of a signature, as tokens carry them. Errors: kInternalError.
  Result<std::string> Sign(std::string_view text) const;
  /// Whether `signature` is one of `text` by this key.
  bool Verify(std::string_view text, std::string_view signature) const;

 private:
  std::shared_ptr<EVP_PKEY> key_;
  bool is_rsa_ = false;
  std::string id_;
  std::vector<std::pair<std::string, std::string>> jwk_;
};

/// TokenKey::id of the key that a certificate, a public key or a private one is about.
/// Errors: kBadRequest  `pem` is none of them.
Result<std::string> TokenKeyId(std::string_view pem);

/// SHA-256, 32 bytes.
std::string Sha256(std::string_view bytes);

}  // namespace dray::net::tls
