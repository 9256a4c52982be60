// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/reviews/review.h"

// Reviews of users, tokens and rights: the server answers them and never stores them.
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/authentication_v1.h"
#include "api/authorization_v1.h"
#include "api/conversion/conversion.h"
#include "api/managed_fields/update.h"
#include "api/selectors/field_selector.h"
#include "base/try.h"
#include "server/access/node_rules.h"
#include "server/access/rule_index.h"
#include "server/access/service_account_token.h"
#include "server/access/token_gate.h"
#include "server/errors/errors.h"
#include "server/storage/stored_object.h"
#include "server/verbs/admission/chain.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/decode_body.h"
#include "server/verbs/context/rights.h"
#include "server/verbs/tokens/tokens.h"

namespace dray::server::verbs::inline reviews {
namespace {

namespace authentication = api::authentication_v1;
namespace authorization = api::authorization_v1;
using api::meta_v1::ObjectMeta;

// ---------------------------------------------------------------------------------- authentication

authentication::UserInfo InfoOf(const User& user) {
  authentication::UserInfo info;
  info.username = user.name;
  info.uid = user.uid;
  info.groups.assign(user.groups.begin(), user.groups.end());
  for (const auto& [key, values] : user.extra) {
    info.extra.insert_or_assign(key, api::List<std::string>(values.begin(), values.end()));
  }
  return info;
}

Result<> AnswerSelf(const Call& call, authentication::SelfSubjectReview& review) {
  review.metadata = ObjectMeta();
  review.metadata.creation_timestamp = api::Time::Of(call.now());
  review.status.user_info = InfoOf(call.request->user);
  return {};
}

// As in authentication, an unknown token is checked only once, and each owner may check only a
// limited number of unknown tokens.
Result<TokenOwner> OwnerOfIssued(const Call& call,
                                 const std::string& token,
                                 const std::vector<std::string>& audiences) {
  const Frozen<ShareOwner>& asker = call.request->owner;
  const bool is_limited = asker != nullptr && asker->rank != ShareRank::kExempt;
  if (!is_limited) return OwnerOfToken(*call.core, token, audiences);
  access::TokenGate& gate = *call.core->reviewed_tokens;
  using Verdict = access::TokenGate::Verdict;
  const Verdict verdict = gate.Ask(token, asker->name, call.now());
  if (verdict == Verdict::kNobodys) return Fail(StatusReason::kUnauthorized, "");
  if (verdict == Verdict::kTooMany) return Fail(errors::TooManyRequests());
  Result<TokenOwner> owner = OwnerOfToken(*call.core, token, audiences);
  const bool has_reason = !owner.has_value() && !owner.error().message.empty();
  if (!has_reason) gate.Note(token, asker->name, call.now(), owner.has_value());
  return owner;
}

// A static token is valid for all audiences of this server.
Result<TokenOwner> OwnerOf(const Call& call, const authentication::TokenReviewSpec& spec) {
  const Options& options = call.core->options;
  const std::vector<std::string> asked(spec.audiences.begin(), spec.audiences.end());
  std::optional<User> user =
      options.user_of_token ? options.user_of_token(spec.token) : std::nullopt;
  if (!user.has_value()) {
    DRAY_TRY(TokenOwner owner, OwnerOfIssued(call, spec.token, asked));
    owner.user.groups.emplace_back(access::kAuthenticated);
    return owner;
  }
  TokenOwner owner{.user = *std::move(user), .audiences = asked};
  if (options.tokens == nullptr) return owner;
  owner.audiences.clear();
  for (const std::string& one : options.tokens->audiences()) {
    if (asked.empty() || std::ranges::count(asked, one) > 0) owner.audiences.push_back(one);
  }
  if (owner.audiences.empty()) return Fail(StatusReason::kUnauthorized, "");
  return owner;
}

Result<> AnswerToken(const Call& call, authentication::TokenReview& review) {
  if (review.spec.token.empty()) {
    return Fail(errors::BadRequest("token is required for TokenReview in authentication"));
  }
  review.status = {};
  const Result<TokenOwner> owner = OwnerOf(call, review.spec);
  if (!owner.has_value()) {
    if (owner.error().reason == StatusReason::kTooManyRequests) return Fail(owner.error());
    const std::string& why = owner.error().message;
    review.status.error =
        why.empty() ? "invalid bearer token" : fmt::format("[invalid bearer token, {}]", why);
    return {};
  }
  review.status.authenticated = true;
  review.status.user = InfoOf(owner->user);
  review.status.audiences.assign(owner->audiences.begin(), owner->audiences.end());
  return {};
}

// ----------------------------------------------------------------------------------- authorization

/// Rules that a review of one's own rules shows, and bytes of their texts.
constexpr size_t kReviewedRulesMax = 2000;
constexpr size_t kReviewedBytesMax = size_t{256} << 10;

using Causes = std::vector<ErrorCause>;

template <class T>
std::string ShownJson(const T& value) {
  std::string json;
  api::EncodeJson(api::TypeOf<T>(), &value, json);
  return json;
}

template <class Selector>  // which may be absent
void CheckSelector(const Selector& selector, std::string_view name, Causes& causes) {
  if (!selector.has_value()) return;
  const std::string path = fmt::format("spec.resourceAttributes.{}", name);
  const bool has_text = !selector->raw_selector.empty();
  if (has_text && !selector->requirements.empty()) {
    causes.push_back(errors::InvalidValue(path + ".rawSelector",
                                          errors::Quoted(selector->raw_selector),
                                          "may not specified at the same time as requirements"));
  }
  if (!has_text && selector->requirements.empty()) {
    causes.push_back(errors::RequiredValue(
        path + ".requirements",
        fmt::format("when {} is specified, requirements or rawSelector is required", path)));
  }
}

// Checks the attributes of the question, which has one of two forms; `spec` is that of any access
// review.
template <class T>
void CheckAttributes(const T& spec, Causes& causes) {
  if (spec.resource_attributes.has_value() && spec.non_resource_attributes.has_value()) {
    causes.push_back(errors::InvalidValue("spec.nonResourceAttributes",
                                          ShownJson(*spec.non_resource_attributes),
                                          "cannot be specified in combination with "
                                          "resourceAttributes"));
  }
  if (!spec.resource_attributes.has_value() && !spec.non_resource_attributes.has_value()) {
    causes.push_back(errors::InvalidValue("spec.resourceAttributes",
                                          "null",
                                          "exactly one of nonResourceAttributes or "
                                          "resourceAttributes must be specified"));
  }
  if (!spec.resource_attributes.has_value()) return;
  CheckSelector(spec.resource_attributes->field_selector, "fieldSelector", causes);
  CheckSelector(spec.resource_attributes->label_selector, "labelSelector", causes);
}

void CheckSubject(const authorization::SubjectAccessReviewSpec& spec, Causes& causes) {
  if (!spec.user.empty() || !spec.groups.empty()) return;
  causes.push_back(errors::InvalidValue(
      "spec.user", errors::Quoted(""), "at least one of user or group must be specified"));
}

void CheckMetadata(ObjectMeta meta, std::string_view rule, Causes& causes) {
  const std::string shown = ShownJson(meta);
  meta.managed_fields.clear();
  if (rule != "must be empty") meta.namespace_.clear();
  if (meta == ObjectMeta()) return;
  causes.push_back(errors::InvalidValue("metadata", shown, rule));
}

void CheckNamespace(const authorization::LocalSubjectAccessReview& review, Causes& causes) {
  const auto& spec = review.spec;
  if (spec.resource_attributes.has_value() &&
      spec.resource_attributes->namespace_ != review.metadata.namespace_) {
    causes.push_back(errors::InvalidValue("spec.resourceAttributes.namespace",
                                          errors::Quoted(spec.resource_attributes->namespace_),
                                          "must match metadata.namespace"));
  }
  if (spec.non_resource_attributes.has_value()) {
    causes.push_back(errors::InvalidValue("spec.nonResourceAttributes",
                                          ShownJson(*spec.non_resource_attributes),
                                          "disallowed on this kind of request"));
  }
}

// Upstream's reviews have no kind where it names them in errors.
Result<> Judge(Causes causes) {
  if (causes.empty()) return {};
  return Fail(errors::InvalidAs("authorization.k8s.io", "", "", std::move(causes)));
}

/// The text of the field selector in the question. Requirements that no list can have are left out,
/// which makes the question wider.
std::string TextOf(const api::Maybe<authorization::FieldSelectorAttributes>& selector) {
  if (!selector.has_value()) return {};
  if (!selector->raw_selector.empty()) return selector->raw_selector;
  std::vector<api::FieldRequirement> requirements;
  for (const auto& one : selector->requirements) {
    const bool is_in = one.operator_ == "In";
    if (one.key.find_first_of("=,!\\") != std::string::npos) continue;  // not a name of a field
    if ((!is_in && one.operator_ != "NotIn") || one.values.size() != 1) continue;
    requirements.push_back(
        {.path = one.key,
         .op = is_in ? api::FieldOperator::kEquals : api::FieldOperator::kNotEquals,
         .value = one.values.front()});
  }
  return api::FieldSelector(std::move(requirements)).ToString();
}

/// The attributes that `spec`, that of any access review, asks about.
template <class T>
access::Attributes AskedBy(const T& spec) {
  if (spec.non_resource_attributes.has_value()) {
    return {.verb = spec.non_resource_attributes->verb,
            .path = spec.non_resource_attributes->path.empty()
                        ? "/"
                        : spec.non_resource_attributes->path};
  }
  const auto& of = *spec.resource_attributes;
  return {.verb = of.verb,
          .group = of.group,
          .resource = of.resource,
          .subresource = of.subresource,
          .name = of.name,
          .namespace_ = of.namespace_,
          .field_selector = TextOf(of.field_selector)};
}

template <class T>
authorization::SubjectAccessReviewStatus RightsOf(const Call& call,
                                                  const User& user,
                                                  const T& spec) {
  authorization::SubjectAccessReviewStatus status;
  Rights* const rights = call.core->rights.get();
  if (rights == nullptr) {
    status.allowed = user.name != access::kAnonymous;
    return status;
  }
  access::Verdict verdict = rights->Decide(user, AskedBy(spec));
  status.allowed = verdict.is_allowed;
  status.reason = std::move(verdict.reason);
  return status;
}

User SubjectOf(const authorization::SubjectAccessReviewSpec& spec) {
  User user{.name = spec.user, .uid = spec.uid, .groups = {spec.groups.begin(), spec.groups.end()}};
  for (const auto& [key, values] : spec.extra) {
    user.extra[key] = std::vector<std::string>(values.begin(), values.end());
  }
  return user;
}

Result<> AnswerAccess(const Call& call, authorization::SubjectAccessReview& review) {
  Causes causes;
  CheckAttributes(review.spec, causes);
  CheckSubject(review.spec, causes);
  CheckMetadata(review.metadata, "must be empty", causes);
  DRAY_TRY_VOID(Judge(std::move(causes)));
  review.status = RightsOf(call, SubjectOf(review.spec), review.spec);
  return {};
}

Result<> AnswerOwnAccess(const Call& call, authorization::SelfSubjectAccessReview& review) {
  Causes causes;
  CheckAttributes(review.spec, causes);
  CheckMetadata(review.metadata, "must be empty", causes);
  DRAY_TRY_VOID(Judge(std::move(causes)));
  review.status = RightsOf(call, call.request->user, review.spec);
  return {};
}

Result<> AnswerLocalAccess(const Call& call, authorization::LocalSubjectAccessReview& review) {
  std::string& namespace_ = review.metadata.namespace_;
  if (namespace_.empty()) namespace_ = call.request->namespace_;
  if (namespace_ != call.request->namespace_) {
    return Fail(errors::BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request"));
  }
  Causes causes;
  CheckAttributes(review.spec, causes);
  CheckSubject(review.spec, causes);
  CheckMetadata(review.metadata, "must be empty except for namespace", causes);
  CheckNamespace(review, causes);
  DRAY_TRY_VOID(Judge(std::move(causes)));
  review.status = RightsOf(call, SubjectOf(review.spec), review.spec);
  return {};
}

/// The rules of every user when RBAC is off.
access::Held Everything() {
  api::rbac_v1::PolicyRule resources;
  resources.verbs = {"*"};
  resources.api_groups = {"*"};
  resources.resources = {"*"};
  api::rbac_v1::PolicyRule paths;
  paths.verbs = {"*"};
  paths.non_resource_urls = {"*"};
  const access::Rules rules = {std::move(resources), std::move(paths)};
  return {std::make_shared<const access::RuleIndex>(rules)};
}

void AddRule(const access::Rule& rule, authorization::SubjectRulesReviewStatus& status) {
  if (!rule.resources.empty()) {
    auto& of_resources = status.resource_rules.emplace_back();
    of_resources.verbs = rule.verbs;
    of_resources.api_groups = rule.api_groups;
    of_resources.resources = rule.resources;
    of_resources.resource_names = rule.resource_names;
  }
  if (rule.non_resource_urls.empty()) return;
  auto& of_paths = status.non_resource_rules.emplace_back();
  of_paths.verbs = rule.verbs;
  of_paths.non_resource_urls = rule.non_resource_urls;
}

/// Adds the rules to the answer; returns a text about rules that were left out, if any.
std::vector<std::string> AddRules(const access::Held& roles,
                                  authorization::SubjectRulesReviewStatus& status) {
  size_t bytes = 0;
  for (const auto& role : roles) {
    for (size_t i = 0; i < role->size(); ++i) {
      bytes += role->TextBytes(i);
      const size_t count = status.resource_rules.size() + status.non_resource_rules.size();
      if (bytes > kReviewedBytesMax || count >= kReviewedRulesMax) {
        return {
            fmt::format("the rules are more than {} or longer than {} bytes: the rest is left out",
                        kReviewedRulesMax,
                        kReviewedBytesMax)};
      }
      AddRule(role->rule(i), status);
    }
  }
  return {};
}

Result<> AnswerRules(const Call& call, authorization::SelfSubjectRulesReview& review) {
  if (review.spec.namespace_.empty()) {
    return Fail(errors::BadRequest("no namespace on request"));
  }
  Rights* const rights = call.core->rights.get();
  const User& user = call.request->user;
  std::vector<std::string> troubles;
  std::vector<access::MissingRole> missing;
  const access::Held roles =
      rights == nullptr ? Everything()
                        : rights->Current()->RolesFor(user, review.spec.namespace_, &missing);
  review = {};
  if (rights != nullptr && access::NodeOf(user).has_value()) {
    troubles.emplace_back("node authorizer does not support user rule resolution");
    review.status.incomplete = true;
  }
  for (const access::MissingRole& role : missing) troubles.push_back(access::Words(role));
  const std::vector<std::string> left_out = AddRules(roles, review.status);
  if (!left_out.empty()) review.status.incomplete = true;
  troubles.insert(troubles.end(), left_out.begin(), left_out.end());
  if (troubles.empty()) return {};
  review.status.evaluation_error =
      troubles.size() == 1 ? troubles.front() : fmt::format("[{}]", fmt::join(troubles, ", "));
  return {};
}

// ------------------------------------------------------------------------------------------- verbs

template <class T, auto kAnswer>
Result<> Answered(const Call& call, api::Object& review) {
  return kAnswer(call, review.Mutable<T>());
}

struct Question {
  const api::Type& (*type)();  // in the form of the hub
  Result<> (*answer)(const Call& call, api::Object& review);
};

constexpr std::array kQuestions = {
    Question{&api::TypeOf<authentication::SelfSubjectReview>,
             Answered<authentication::SelfSubjectReview, AnswerSelf>},
    Question{&api::TypeOf<authentication::TokenReview>,
             Answered<authentication::TokenReview, AnswerToken>},
    Question{&api::TypeOf<authorization::SubjectAccessReview>,
             Answered<authorization::SubjectAccessReview, AnswerAccess>},
    Question{&api::TypeOf<authorization::SelfSubjectAccessReview>,
             Answered<authorization::SelfSubjectAccessReview, AnswerOwnAccess>},
    Question{&api::TypeOf<authorization::LocalSubjectAccessReview>,
             Answered<authorization::LocalSubjectAccessReview, AnswerLocalAccess>},
    Question{&api::TypeOf<authorization::SelfSubjectRulesReview>,
             Answered<authorization::SelfSubjectRulesReview, AnswerRules>}};

const Question* QuestionOf(const api::KindInfo& kind) {
  const auto* const found = std::ranges::find(kQuestions, kind.storage().type, &Question::type);
  return found == kQuestions.end() ? nullptr : found;
}

}  // namespace

bool IsReview(const api::KindInfo& kind) {
  return kind.create_only && QuestionOf(kind) != nullptr;
}

Task<Outcome> Review(Call call) {
  DRAY_CO_TRY(const api::Object decoded, DecodeBody(call, call.kind()));
  const api::Release release = call.request->release;
  api::Object review = api::conversion::ToHub(decoded, release).Clone();
  review.mutable_metadata().managed_fields = api::managed_fields::EntriesAfter(
      WriterOf(call, registry::Subresource::kNone), api::Object::Blank(call.hub()), review);
  const Frozen<store::Snapshot> snapshot = call.session->Read();
  const admission::Write write{.object = &review};
  DRAY_CO_TRY_VOID(co_await admission::Admit(call, snapshot, write, &review));
  DRAY_CO_TRY_VOID(QuestionOf(call.kind())->answer(call, review));
  api::Object shown = api::conversion::FromHub(review, call.kind(), release);
  co_return ObjectAnswer{.code = 201, .item = storage::MakeItem(std::move(shown), release)};
}

}  // namespace dray::server::verbs::inline reviews
