// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/tokens/tokens.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/authentication_v1.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/core_v1/secret.h"
#include "api/core_v1/service_account.h"
#include "api/managed_fields/update.h"
#include "api/text/go_quote.h"
#include "base/try.h"
#include "server/access/service_account_token.h"
#include "server/errors/errors.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "server/verbs/admission/chain.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/decode_body.h"

namespace dray::server::verbs::inline tokens {
namespace {

namespace core_v1 = api::core_v1;
using access::TokenClaims;
using access::TokenSubject;
using api::authentication_v1::TokenRequest;

constexpr std::string_view kGroup = "authentication.k8s.io";
constexpr int64_t kDeletedSecondsMax = 60;  // tokens of a deleted object stay valid for so long

const api::KindInfo& Accounts() {
  return api::Reflected<core_v1::ServiceAccount>::kKind;
}

Failure Refuse(std::string why) {
  return Fail(StatusReason::kUnauthorized, std::move(why));
}

/// Empty when the object does not exist, or cannot be read.
api::Object FindBound(const store::Snapshot& snapshot,
                      const api::KindInfo& kind,
                      std::string_view namespace_,
                      std::string_view name) {
  const store::Record* record = snapshot.Find(storage::ObjectKey(kind, namespace_, name));
  if (record == nullptr) return {};
  const auto item = storage::ItemOf(storage::View::OfStorage(kind), *record);
  return item.has_value() && item->has_value() ? (*item)->object : api::Object();
}

bool IsDeleted(const api::meta_v1::ObjectMeta& meta, WallTime now) {
  if (!meta.deletion_timestamp.has_value()) return false;
  const int64_t second = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  return meta.deletion_timestamp->unix_seconds() < second - kDeletedSecondsMax;
}

// ----------------------------------------------------------------------------------------- reading

Result<> CheckAccount(const store::Snapshot& snapshot, const TokenClaims& claims, WallTime now) {
  const api::Object account =
      FindBound(snapshot, Accounts(), claims.namespace_, claims.account.name);
  if (account.empty()) {
    return Refuse(fmt::format(R"(serviceaccounts "{}" not found)", claims.account.name));
  }
  if (account.metadata().uid != claims.account.uid) {
    return Refuse(fmt::format("service account UID ({}) does not match claim ({})",
                              account.metadata().uid,
                              claims.account.uid));
  }
  if (IsDeleted(account.metadata(), now)) {
    return Refuse(fmt::format(
        "service account {}/{} has been deleted", claims.namespace_, claims.account.name));
  }
  return {};
}

struct BoundKind {
  const api::KindInfo& kind;
  std::string_view word;   // the name of the kind in an error about its uid
  std::string_view claim;  // the name of the token's claim there
};

Result<> CheckBound(const store::Snapshot& snapshot,
                    const BoundKind& binding,
                    std::string_view namespace_,
                    const TokenSubject& subject,
                    WallTime now) {
  const api::Object bound =
      FindBound(snapshot, binding.kind, binding.kind.namespaced ? namespace_ : "", subject.name);
  if (bound.empty()) return Refuse("service account token has been invalidated");
  if (bound.metadata().uid != subject.uid) {
    return Refuse(fmt::format("{} UID ({}) does not match service account {} ref claim ({})",
                              binding.word,
                              bound.metadata().uid,
                              binding.claim,
                              subject.uid));
  }
  if (IsDeleted(bound.metadata(), now)) return Refuse("service account token has been invalidated");
  return {};
}

Result<> CheckAllBound(const store::Snapshot& snapshot, const TokenClaims& claims, WallTime now) {
  const auto check = [&](const BoundKind& binding, const std::optional<TokenSubject>& subject) {
    if (!subject.has_value()) return Result<>();
    return CheckBound(snapshot, binding, claims.namespace_, *subject, now);
  };
  DRAY_TRY_VOID(check({api::Reflected<core_v1::Secret>::kKind, "secret", "secret"}, claims.secret));
  DRAY_TRY_VOID(check({api::Reflected<core_v1::Pod>::kKind, "pod", "pod"}, claims.pod));
  if (claims.pod.has_value()) return {};  // the claim of the pod's node is not checked
  return check({api::Reflected<core_v1::Node>::kKind, "node", "node"}, claims.node);
}

std::string QuotedList(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  quoted.reserve(texts.size());
  for (const std::string& text : texts) quoted.push_back(api::GoQuote(text));
  return fmt::format("[{}]", fmt::join(quoted, " "));
}

// ----------------------------------------------------------------------------------------- issuing

Result<> CheckPlace(const ResourceRequest& request, const api::meta_v1::ObjectMeta& meta) {
  const auto refuse =
      [&](std::string_view member, const std::string& value, std::string_view word) {
        return Fail(errors::InvalidAs(
            kGroup,
            "TokenRequest",
            request.name,
            {errors::InvalidValue(
                fmt::format("metadata.{}", member),
                errors::Quoted(value),
                fmt::format("must match the service account {} if specified", word))}));
      };
  if (!meta.name.empty() && meta.name != request.name) return refuse("name", meta.name, "name");
  if (!meta.namespace_.empty() && meta.namespace_ != request.namespace_) {
    return refuse("namespace", meta.namespace_, "namespace");
  }
  return {};
}

Result<> CheckSpec(const TokenRequest& request) {
  std::vector<ErrorCause> causes;
  const int64_t seconds = request.spec.expiration_seconds.value_or(kTokenSecondsUsual);
  const auto refuse = [&](std::string_view why) {
    causes.push_back(errors::InvalidValue("spec.expirationSeconds", std::to_string(seconds), why));
  };
  if (seconds < kTokenSecondsMin) refuse("may not specify a duration less than 10 minutes");
  if (seconds > kTokenSecondsMax) refuse("may not specify a duration larger than 2^32 seconds");
  if (!request.spec.attestations.empty()) {
    causes.push_back(errors::InvalidValue(
        "spec.attestations",
        "{}",
        "attestations may only be specified with a webhook bound object reference"));
  }
  if (causes.empty()) return {};
  return Fail(errors::InvalidAs(kGroup, "TokenRequest", "", std::move(causes)));
}

TokenSubject SubjectOf(const api::Object& object) {
  return {.name = object.metadata().name, .uid = object.metadata().uid};
}

Result<> BindToPod(const store::Snapshot& snapshot, const core_v1::Pod& pod, TokenClaims& claims) {
  const std::string& account = pod.spec.service_account_name;
  if (account != claims.account.name) {
    return Fail(errors::BadRequest(
        fmt::format("cannot bind token for serviceaccount {} to pod running with different "
                    "serviceaccount name.",
                    api::GoQuote(claims.account.name))));
  }
  claims.pod = TokenSubject{.name = pod.metadata.name, .uid = pod.metadata.uid};
  if (pod.spec.node_name.empty()) return {};
  const api::Object node =
      FindBound(snapshot, api::Reflected<core_v1::Node>::kKind, "", pod.spec.node_name);
  claims.node = TokenSubject{.name = pod.spec.node_name,
                             .uid = node.empty() ? std::string() : node.metadata().uid};
  return {};
}

/// Sets in `claims` the object that the token is bound to.
Result<> Bind(const store::Snapshot& snapshot,
              const api::authentication_v1::BoundObjectReference& ref,
              TokenClaims& claims) {
  const bool is_core = !ref.api_version.contains('/');
  const api::KindInfo* kind = nullptr;
  for (const api::KindInfo* one : {&api::Reflected<core_v1::Pod>::kKind,
                                   &api::Reflected<core_v1::Node>::kKind,
                                   &api::Reflected<core_v1::Secret>::kKind}) {
    if (is_core && one->kind == ref.kind) kind = one;
  }
  if (kind == nullptr) {
    const size_t slash = ref.api_version.find('/');
    const std::string group = is_core ? "" : ref.api_version.substr(0, slash);
    const std::string version = is_core ? ref.api_version : ref.api_version.substr(slash + 1);
    return Fail(errors::BadRequest(fmt::format(
        "cannot bind token to object of type {}/{}, Kind={}", group, version, ref.kind)));
  }
  const api::Object bound =
      FindBound(snapshot, *kind, kind->namespaced ? claims.namespace_ : "", ref.name);
  if (bound.empty()) return Fail(errors::NotFound(*kind, ref.name));
  if (const auto* const pod = bound.If<core_v1::Pod>()) {
    DRAY_TRY_VOID(BindToPod(snapshot, *pod, claims));
  } else if (bound.If<core_v1::Node>() != nullptr) {
    claims.node = SubjectOf(bound);
  } else {
    claims.secret = SubjectOf(bound);
  }
  if (ref.uid.empty() || ref.uid == bound.metadata().uid) return {};
  return Fail(errors::ConflictOn(
      *kind,
      kind->kind,
      ref.name,
      fmt::format("the UID in the bound object reference ({}) does not match the UID in record. "
                  "The object might have been deleted and then recreated",
                  ref.uid)));
}

/// Shortens the requested lifetime to the server's maximum, with a warning.
void Cap(const Call& call, TokenRequest& request) {
  const int64_t most = call.core->options.token_seconds_max;
  int64_t& seconds = *request.spec.expiration_seconds;
  if (most == 0 || seconds <= most) return;
  call.warnings->push_back(
      fmt::format("requested expiration of {} seconds shortened to {} seconds", seconds, most));
  seconds = most;
}

/// Sets the end of the token from the requested lifetime: see kTokenSecondsOfVolumes.
void SetEnd(const access::TokenIssuer& issuer, int64_t seconds, TokenClaims& claims) {
  const bool is_for_server = std::ranges::all_of(claims.audiences, [&](const std::string& one) {
    return std::ranges::count(issuer.audiences(), one) > 0;
  });
  claims.expires = claims.issued + seconds;
  if (seconds != kTokenSecondsOfVolumes || !claims.pod.has_value() || !is_for_server) return;
  claims.warn_after = claims.expires;
  claims.expires = claims.issued + kTokenSecondsExtended;
}

/// Sets the account's metadata in the answer.
void Complete(const Call& call, const api::Object& account, api::Object& object) {
  auto& request = object.Mutable<TokenRequest>();
  request.metadata.name = account.metadata().name;
  request.metadata.namespace_ = account.metadata().namespace_;
  request.metadata.uid = account.metadata().uid;
  request.metadata.creation_timestamp = api::Time::Of(call.now());
  request.status = {};
}

}  // namespace

Result<TokenOwner> OwnerOfToken(const Core& core,
                                std::string_view token,
                                const std::vector<std::string>& audiences) {
  const auto& issuer = core.options.tokens;
  if (issuer == nullptr) return Refuse("");
  const WallTime now = core.world.clock.Now();
  DRAY_TRY(const TokenClaims claims, issuer->Read(token, now));
  const std::vector<std::string>& asked = audiences.empty() ? issuer->audiences() : audiences;
  TokenOwner owner;
  for (const std::string& one : claims.audiences) {
    if (std::ranges::count(asked, one) > 0) owner.audiences.push_back(one);
  }
  if (owner.audiences.empty()) {
    return Refuse(fmt::format("token audiences {} is invalid for the target audiences {}",
                              QuotedList(claims.audiences),
                              QuotedList(asked)));
  }
  const Frozen<store::Snapshot> snapshot = core.store.Read();
  DRAY_TRY_VOID(CheckAccount(*snapshot, claims, now));
  DRAY_TRY_VOID(CheckAllBound(*snapshot, claims, now));
  owner.user = access::UserOf(claims);
  return owner;
}

Task<Outcome> IssueToken(Call call) {
  const Core& core = *call.core;
  const ResourceRequest& request = *call.request;
  const api::KindInfo& kind = api::Reflected<TokenRequest>::kKind;
  DRAY_CO_TRY(api::Object object, DecodeBody(call, kind));
  DRAY_CO_TRY(const Frozen<store::Snapshot> snapshot, co_await call.session->ReadNewest());
  const admission::Write write{.object = &object, .kind = &kind, .subresource = "token"};
  DRAY_CO_TRY_VOID(co_await admission::Admit(call, snapshot, write, &object));
  auto& asked = object.Mutable<TokenRequest>();
  if (!asked.spec.expiration_seconds.has_value())
    asked.spec.expiration_seconds = kTokenSecondsUsual;
  api::managed_fields::Write writer = WriterOf(call, registry::Subresource::kNone);
  writer.versions.kind = &kind;
  asked.metadata.managed_fields =
      api::managed_fields::EntriesAfter(writer, api::Object::Blank(kind), object);
  if (core.options.tokens == nullptr) {
    co_return Fail(errors::Untyped("this server has no key to sign tokens with"));
  }
  const access::TokenIssuer& issuer = *core.options.tokens;
  DRAY_CO_TRY_VOID(CheckPlace(request, asked.metadata));
  const api::Object account = FindBound(*snapshot, Accounts(), request.namespace_, request.name);
  if (account.empty()) co_return Fail(errors::NotFound(Accounts(), request.name));
  if (!asked.metadata.uid.empty() && asked.metadata.uid != account.metadata().uid) {
    co_return Fail(errors::ConflictOn(
        Accounts(),
        "TokenRequest",
        request.name,
        fmt::format("the UID in the token request ({}) does not match the UID of the service "
                    "account ({})",
                    asked.metadata.uid,
                    account.metadata().uid)));
  }
  if (asked.spec.audiences.empty()) {
    asked.spec.audiences.assign(issuer.audiences().begin(), issuer.audiences().end());
  }
  Complete(call, account, object);
  DRAY_CO_TRY_VOID(CheckSpec(asked));
  DRAY_CO_TRY_VOID(co_await admission::Validate(call, snapshot, write));
  const int64_t second =
      std::chrono::floor<std::chrono::seconds>(call.now()).time_since_epoch().count();
  TokenClaims claims{.audiences = {asked.spec.audiences.begin(), asked.spec.audiences.end()},
                     .issued = second,
                     .not_before = second,
                     .id = NewUuid(core.world.random),
                     .namespace_ = request.namespace_,
                     .account = SubjectOf(account)};
  if (asked.spec.bound_object_ref.has_value()) {
    DRAY_CO_TRY_VOID(Bind(*snapshot, *asked.spec.bound_object_ref, claims));
  }
  Cap(call, asked);
  SetEnd(issuer, *asked.spec.expiration_seconds, claims);
  DRAY_CO_TRY(asked.status.token, issuer.Issue(claims));
  asked.status.expiration_timestamp = api::Time::FromUnixSeconds(
      std::min(second + *asked.spec.expiration_seconds, api::kTimeMaxUnixSeconds));
  co_return ObjectAnswer{.code = 201,
                         .item = storage::MakeItem(std::move(object), request.release)};
}

}  // namespace dray::server::verbs::inline tokens
