// SPDX-License-Identifier: Apache-2.0
#include "server/access/service_account_token.h"

#include <charconv>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json_tree.h"
#include "api/codec/json_writer.h"
#include "base/text/base64.h"
#include "base/try.h"

namespace dray::server::access {
namespace {

constexpr size_t kClaimsDepthMax = 16;
constexpr int64_t kLeewaySeconds = 60;  // clocks differ

using api::JsonMembers;
using api::JsonTree;
using api::JsonWriter;

Failure NotOurs() {
  return Fail(StatusReason::kUnauthorized, "");
}

std::string TextOf(const JsonMembers& members, std::string_view name) {
  const JsonTree* const found = members.Find(name);
  return found != nullptr && found->is_string() ? found->text : std::string();
}

/// Whole seconds; some issuers write a fraction too.
int64_t SecondsOf(const JsonMembers& members, std::string_view name) {
  const JsonTree* const found = members.Find(name);
  if (found == nullptr || found->kind != api::JsonKind::kNumber) return 0;
  int64_t seconds = 0;
  std::from_chars(found->text.data(), found->text.data() + found->text.size(), seconds);
  return seconds;
}

std::vector<std::string> AudiencesOf(const JsonMembers& members) {
  const JsonTree* const found = members.Find("aud");
  std::vector<std::string> audiences;
  if (found == nullptr) return audiences;
  if (found->is_string()) audiences.push_back(found->text);
  for (const JsonTree& one : found->elements()) {
    if (one.is_string()) audiences.push_back(one.text);
  }
  return audiences;
}

std::optional<TokenSubject> SubjectOf(const JsonMembers& members, std::string_view name) {
  const JsonTree* const found = members.Find(name);
  if (found == nullptr || !found->is_object()) return std::nullopt;
  return TokenSubject{.name = TextOf(found->members(), "name"),
                      .uid = TextOf(found->members(), "uid")};
}

TokenClaims ClaimsOf(const JsonMembers& members) {
  TokenClaims claims{.audiences = AudiencesOf(members),
                     .issued = SecondsOf(members, "iat"),
                     .not_before = SecondsOf(members, "nbf"),
                     .expires = SecondsOf(members, "exp"),
                     .id = TextOf(members, "jti")};
  const JsonTree* const own = members.Find("kubernetes.io");
  if (own == nullptr || !own->is_object()) return claims;
  claims.namespace_ = TextOf(own->members(), "namespace");
  claims.account = SubjectOf(own->members(), "serviceaccount").value_or(TokenSubject());
  claims.pod = SubjectOf(own->members(), "pod");
  claims.node = SubjectOf(own->members(), "node");
  claims.secret = SubjectOf(own->members(), "secret");
  const int64_t warn_after = SecondsOf(own->members(), "warnafter");
  if (warn_after > 0) claims.warn_after = warn_after;
  return claims;
}

void WriteSubject(JsonWriter& json,
                  std::string_view name,
                  const std::optional<TokenSubject>& subject) {
  if (!subject.has_value()) return;
  json.Member(name).Object({{"name", subject->name}, {"uid", subject->uid}});
}

std::string UserNameOf(const TokenClaims& claims) {
  return fmt::format("{}{}:{}", kServiceAccount, claims.namespace_, claims.account.name);
}

std::string Payload(const TokenClaims& claims, std::string_view issuer) {
  std::string text;
  JsonWriter json(text);
  json.Object([&] {
    json.Member("aud").ArrayOf(claims.audiences);
    json.Member("exp", claims.expires);
    json.Member("iat", claims.issued);
    json.Member("iss", issuer);
    json.Member("jti", claims.id);
    json.Member("kubernetes.io").Object([&] {
      json.Member("namespace", claims.namespace_);
      WriteSubject(json, "node", claims.node);
      WriteSubject(json, "pod", claims.pod);
      WriteSubject(json, "secret", claims.secret);
      WriteSubject(json, "serviceaccount", claims.account);
      if (claims.warn_after.has_value()) json.Member("warnafter", *claims.warn_after);
    });
    json.Member("nbf", claims.not_before);
    json.Member("sub", UserNameOf(claims));
  });
  return text;
}

/// Returns empty parts if it is not a token.
TokenParts Split(std::string_view token) {
  const size_t first = token.find('.');
  const size_t last = token.rfind('.');
  const bool is_token = first != std::string_view::npos && first != last &&
                        token.find('.', first + 1) == last && token.size() <= kTokenBytesMax;
  if (!is_token) return {};
  return {.head = token.substr(0, first),
          .payload = token.substr(first + 1, last - first - 1),
          .signature = token.substr(last + 1)};
}

Result<> CheckTimes(const TokenClaims& claims, WallTime now) {
  const int64_t second = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  const auto refuse = [](std::string_view why) {
    return Fail(StatusReason::kUnauthorized, fmt::format("service account token {}", why));
  };
  if (claims.not_before > second + kLeewaySeconds) return refuse("is not valid yet");
  if (claims.expires + kLeewaySeconds < second) return refuse("has expired");
  if (claims.issued > second + kLeewaySeconds) return refuse("is issued in the future");
  return {};
}

Result<JsonTree> ReadPart(std::string_view part) {
  const std::optional<std::string> text = DecodeBase64Url(part);
  if (!text.has_value()) return NotOurs();
  Result<JsonTree> tree = api::ParseJsonTree(*text, kClaimsDepthMax);
  if (!tree.has_value() || !tree->is_object()) return NotOurs();
  return tree;
}

}  // namespace

User UserOf(const TokenClaims& claims) {
  User user{.name = UserNameOf(claims),
            .uid = claims.account.uid,
            .groups = {std::string(kServiceAccounts),
                       fmt::format("{}:{}", kServiceAccounts, claims.namespace_)}};
  const auto note = [&](std::string_view key, std::string value) {
    user.extra[std::string(key)] = {std::move(value)};
  };
  if (!claims.id.empty()) note(kCredentialId, "JTI=" + claims.id);
  if (claims.pod.has_value()) {
    note("authentication.kubernetes.io/pod-name", claims.pod->name);
    note("authentication.kubernetes.io/pod-uid", claims.pod->uid);
  }
  if (claims.node.has_value()) {
    note(kNodeName, claims.node->name);
    if (!claims.node->uid.empty()) {
      note("authentication.kubernetes.io/node-uid", claims.node->uid);
    }
  }
  return user;
}

TokenIssuer::TokenIssuer(net::tls::TokenKey key,
                         std::string issuer,
                         std::vector<std::string> audiences)
    : key_(std::move(key)), issuer_(std::move(issuer)), audiences_(std::move(audiences)) {}

std::string TokenIssuer::KeySet() const {
  return api::JsonText([&](JsonWriter& json) {
    json.Object([&] {
      json.Member("keys").Array([&] {
        json.Object([&] {
          for (const auto& [name, value] : key_.jwk()) json.Member(name, value);
        });
      });
    });
  });
}

std::string TokenIssuer::Configuration(std::string_view keys_url) const {
  std::string text;
  JsonWriter json(text);
  json.Object([&] {
    json.Member("issuer", issuer_);
    json.Member("jwks_uri", keys_url);
    json.Member("response_types_supported").ArrayOf(std::array<std::string_view, 1>{"id_token"});
    json.Member("subject_types_supported").ArrayOf(std::array<std::string_view, 1>{"public"});
    json.Member("id_token_signing_alg_values_supported")
        .ArrayOf(std::array<std::string_view, 1>{key_.algorithm()});
  });
  return text;
}

Result<std::string> TokenIssuer::Issue(const TokenClaims& claims) const {
  const std::string head = api::JsonText(
      [&](JsonWriter& json) { json.Object({{"alg", key_.algorithm()}, {"kid", key_.id()}}); });
  std::string token = EncodeBase64Url(head) + "." + EncodeBase64Url(Payload(claims, issuer_));
  DRAY_TRY(const std::string signature, key_.Sign(token));
  token += "." + EncodeBase64Url(signature);
  return token;
}

std::optional<TokenClaims> TokenIssuer::Remembered(const std::string& digest) {
  const MutexLock lock(mutex_);
  const auto found = verified_.find(digest);
  return found == verified_.end() ? std::nullopt : std::optional(found->second);
}

/// The claims of a token whose header names this key. A header without a key id also counts.
Result<TokenClaims> TokenIssuer::ClaimsIn(const TokenParts& parts) const {
  if (parts.payload.empty()) return NotOurs();
  DRAY_TRY(const JsonTree payload, ReadPart(parts.payload));
  if (TextOf(payload.members(), "iss") != issuer_) return NotOurs();
  DRAY_TRY(const JsonTree head, ReadPart(parts.head));
  if (TextOf(head.members(), "alg") != key_.algorithm()) return NotOurs();
  const std::string key = TextOf(head.members(), "kid");
  if (!key.empty() && key != key_.id())
    return Fail(StatusReason::kUnauthorized, "invalid signature, no keys found");
  TokenClaims claims = ClaimsOf(payload.members());
  if (TextOf(payload.members(), "sub") != UserNameOf(claims)) return NotOurs();
  return claims;
}

Result<TokenClaims> TokenIssuer::Read(std::string_view token, WallTime now) {
  const std::string digest = net::tls::Sha256(token);
  if (std::optional<TokenClaims> known = Remembered(digest); known.has_value()) {
    DRAY_TRY_VOID(CheckTimes(*known, now));
    return *std::move(known);
  }
  const TokenParts parts = Split(token);
  DRAY_TRY(TokenClaims claims, ClaimsIn(parts));
  DRAY_TRY_VOID(CheckTimes(claims, now));
  // Checked last, because it takes a hundred times as long as everything else.
  const std::string_view signed_text =
      token.substr(0, parts.head.size() + 1 + parts.payload.size());
  if (!key_.Verify(signed_text, DecodeBase64Url(parts.signature).value_or(""))) return NotOurs();
  const MutexLock lock(mutex_);
  if (verified_.size() >= kVerifiedMax) verified_.clear();
  verified_.emplace(digest, claims);
  return claims;
}

}  // namespace dray::server::access
