// SPDX-License-Identifier: Apache-2.0
#include "server/http/authentication.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/text/go_quote.h"
#include "base/hash.h"
#include "base/text/ascii.h"
#include "base/try.h"
#include "net/url.h"
#include "server/errors/errors.h"
#include "server/http/flow.h"

namespace dray::server::http {
namespace {

using access::kAnonymous;
using access::SharedUser;
using access::User;

Failure Unauthorized() {
  return Fail(StatusReason::kUnauthorized, "Unauthorized");
}

// Removes one CSV record from the beginning of `text` and returns its fields.
std::vector<std::string> NextRecord(std::string_view& text) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c != '"') {
        fields.back() += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        fields.back() += text[++at];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else if (c == '\n') {
      ++at;
      break;
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  text.remove_prefix(at);
  return fields;
}

std::vector<std::string> Groups(std::string_view list) {
  std::vector<std::string> groups;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    groups.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return groups;
}

std::optional<std::string_view> BearerToken(std::string_view authorization) {
  const size_t space = authorization.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  if (!EqualsIgnoringCase(authorization.substr(0, space), "bearer")) return std::nullopt;
  std::string_view token = authorization.substr(space + 1);
  token = token.substr(0, token.find(' '));
  return token.empty() ? std::nullopt : std::optional(token);
}

User Authentic(User user) {
  user.groups.emplace_back(access::kAuthenticated);
  return user;
}

User UserBehind(const net::ClientIdentity& identity) {
  User user{.name = identity.common_name, .uid = identity.uid, .groups = identity.organizations};
  user.extra[std::string(access::kCredentialId)] = {"X509SHA256=" + identity.sha256_hex};
  return Authentic(std::move(user));
}

const SharedUser& Anonymous() {
  static const SharedUser kUser(User{.name = std::string(kAnonymous),
                                     .uid = {},
                                     .groups = {std::string(access::kUnauthenticated)}});
  return kUser;
}

constexpr std::string_view kImpersonateExtra = "Impersonate-Extra-";

/// The Impersonate-Extra headers. Keys are in lower case and may be percent-encoded.
std::map<std::string, std::vector<std::string>> ExtraOf(const net::Headers& headers) {
  std::map<std::string, std::vector<std::string>> extra;
  for (size_t i = 0; i < headers.size(); ++i) {
    const auto [name, value] = headers.at(i);
    if (name.size() < kImpersonateExtra.size()) continue;
    if (!EqualsIgnoringCase(name.substr(0, kImpersonateExtra.size()), kImpersonateExtra)) continue;
    std::string key(name.substr(kImpersonateExtra.size()));
    for (char& c : key) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    const Result<std::string> decoded = net::PercentDecode(key, net::Plus::kIsPlus);
    extra[decoded.has_value() ? *decoded : key].emplace_back(value);
  }
  return extra;
}

}  // namespace

Result<Authenticator> Authenticator::FromTokenFile(std::string_view csv, uint64_t seed) {
  Authenticator authenticator;
  authenticator.seed_ = seed;
  if (csv.size() > kTokenFileBytesMax) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("token file: longer than {} bytes", kTokenFileBytesMax));
  }
  for (size_t record = 1; !csv.empty(); ++record) {
    std::vector<std::string> fields = NextRecord(csv);
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (fields.size() < 3 || fields[0].empty() || fields[1].empty()) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("token file: record {}: want token, user and uid", record));
    }
    User user{.name = std::move(fields[1]), .uid = std::move(fields[2])};
    if (fields.size() > 3) user.groups = Groups(fields[3]);
    if (authenticator.tokens_.size() == kTokensMax) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("token file: more than {} tokens", kTokensMax));
    }
    if (authenticator.Find(fields[0]) != nullptr) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("token file: record {}: the token is there already", record));
    }
    const uint64_t place = authenticator.PlaceOf(fields[0]);
    SharedUser known(Authentic(std::move(user)));
    Frozen<ShareOwner> owner = OwnerOf(known);
    authenticator.tokens_.emplace(place,
                                  Known{std::move(fields[0]), std::move(known), std::move(owner)});
  }
  return authenticator;
}

uint64_t Authenticator::PlaceOf(std::string_view token) const {
  return Hasher().Add(token).Add(seed_).value();
}

const Authenticator::Known* Authenticator::Find(std::string_view token) const {
  const auto [begin, end] = tokens_.equal_range(PlaceOf(token));
  for (auto at = begin; at != end; ++at) {
    if (EqualSecrets(at->second.token, token)) return &at->second;
  }
  return nullptr;
}

bool EqualSecrets(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  // Volatile, so that the compiler cannot end the loop early.
  volatile unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference = difference | static_cast<unsigned char>(a[i] ^ b[i]);
  }
  return difference == 0;
}

Authenticated NoUser(const net::Request& request) {
  return {.user = Anonymous(), .anonymous = true, .owner = request.peer->owner};
}

Result<Authenticated> Authenticator::Authenticate(const net::Request& request, WallTime now) const {
  const net::Peer& peer = *request.peer;
  if (peer.certificate && !peer.certificate->common_name.empty()) {
    const net::ClientIdentity& identity = *peer.certificate;
    if (identity.not_after < now) return Unauthorized();
    const auto& known = peer.meaning.Get([&]() -> std::shared_ptr<const void> {
      SharedUser user(UserBehind(identity));
      Frozen<ShareOwner> owner = OwnerOf(user);
      return std::make_shared<const Authenticated>(
          Authenticated{.user = std::move(user), .owner = std::move(owner)});
    });
    return *std::static_pointer_cast<const Authenticated>(known);
  }
  if (const auto token = BearerToken(request.headers.Get("Authorization")); token) {
    const Known* const known = Find(*token);
    if (known != nullptr) return Authenticated{.user = known->user, .owner = known->owner};
    DRAY_TRY(User user, Issued(*token, peer, now));
    Authenticated who{.user = Authentic(std::move(user))};
    who.owner = OwnerOf(who.user);
    return who;
  }
  if (!peer.certificate_error.empty()) return Unauthorized();
  if (!takes_anonymous_) return Unauthorized();
  return Authenticated{.user = Anonymous(), .anonymous = true, .owner = peer.owner};
}

// The user of an issued token, one that is not in the file. The signature is checked last.
Result<User> Authenticator::Issued(std::string_view token,
                                   const net::Peer& peer,
                                   WallTime now) const {
  if (!owner_) return Unauthorized();
  const std::string& address = peer.owner == nullptr ? peer.address : peer.owner->name;
  switch (gate_->Ask(token, address, now)) {
    case access::TokenGate::Verdict::kLook: break;
    case access::TokenGate::Verdict::kNobodys: return Unauthorized();
    case access::TokenGate::Verdict::kTooMany: return Fail(errors::TooManyRequests());
  }
  Result<User> user = owner_(token);
  // An error with a reason (expired, account deleted) is not cached: the token may become valid
  // again, and its check was cheap.
  const bool has_reason = !user.has_value() && !user.error().message.empty();
  if (!has_reason) gate_->Note(token, address, now, user.has_value());
  if (!user.has_value()) return Unauthorized();
  return user;
}

std::optional<User> Authenticator::UserOf(std::string_view token) const {
  const Known* const known = Find(token);
  if (known == nullptr) return std::nullopt;
  return *known->user;
}

Result<std::optional<User>> WantedUser(const net::Headers& headers) {
  User other{.name = std::string(headers.Get("Impersonate-User")),
             .uid = std::string(headers.Get("Impersonate-Uid"))};
  for (const std::string_view group : headers.All("Impersonate-Group")) {
    other.groups.emplace_back(group);
  }
  other.extra = ExtraOf(headers);
  if (!other.name.empty()) return other;
  if (other.groups.empty() && other.uid.empty() && other.extra.empty()) return std::nullopt;
  std::string groups;
  for (const std::string& group : other.groups) {
    if (!groups.empty()) groups += ", ";
    groups += api::GoQuote(group);
  }
  return Fail(StatusReason::kBadRequest,
              fmt::format("requested &user.DefaultInfo{{Name:\"\", UID:{}, Groups:[]string{}, "
                          "Extra:map[string][]string(nil)}} without impersonating a user name",
                          api::GoQuote(other.uid),
                          groups.empty() ? "(nil)" : "{" + groups + "}"));
}

bool IsLoopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1" || address == "[::1]" ||
         address.starts_with("[::1]:");
}

}  // namespace dray::server::http
