// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/configuration_rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "api/text/names.h"
#include "api/validation/field_error.h"
#include "api/validation/value_rules.h"
#include "custom/definitions/client_config.h"
#include "server/policies/expressions.h"
#include "server/policies/match_rules.h"

namespace dray::server::webhooks {
namespace {

namespace v1 = api::admissionregistration_v1;
namespace definitions = custom::definitions;
namespace validation = api::validation;
using policies::IsOneOf;
using policies::KnownExpressions;
using validation::FieldErrors;
using validation::Path;
using validation::Shown;

constexpr std::array<std::string_view, 2> kReviewVersions = {"v1", "v1beta1"};
constexpr std::array<std::string_view, 2> kNoSideEffects = {"None", "NoneOnDryRun"};
constexpr std::array<std::string_view, 4> kSideEffects = {
    "None", "NoneOnDryRun", "Some", "Unknown"};
constexpr std::array<std::string_view, 2> kReinvocationPolicies = {"IfNeeded", "Never"};
constexpr int32_t kTimeoutMax = 30;
constexpr int32_t kServicePort = 443;

// What a configuration may not have; an old one that has it may keep it.
struct Demands {
  bool no_side_effects = true;
  bool known_review_version = true;
  bool unique_names = true;
  bool conditions = true;  // are checked
};

bool IsKnownReview(std::string_view version) {
  return IsOneOf(kReviewVersions, version);
}

template <class Webhook>
bool HasUniqueNames(const api::List<Webhook>& webhooks) {
  std::set<std::string_view> names;
  return std::ranges::all_of(webhooks,
                             [&](const Webhook& one) { return names.insert(one.name).second; });
}

template <class Webhook>
bool HasSameConditions(const api::List<Webhook>& a, const api::List<Webhook>& b) {
  return std::ranges::equal(a, b, {}, &Webhook::match_conditions, &Webhook::match_conditions);
}

template <class Configuration>
Demands DemandsOn(const Configuration& configuration, const Configuration* old) {
  if (old == nullptr) return {};
  const auto has_no_effects = [](const auto& webhook) {
    return webhook.side_effects.has_value() && IsOneOf(kNoSideEffects, *webhook.side_effects);
  };
  const auto has_known_review = [](const auto& webhook) {
    const auto& versions = webhook.admission_review_versions;
    return versions.empty() || std::ranges::any_of(versions, IsKnownReview);
  };
  return {.no_side_effects = std::ranges::all_of(old->webhooks, has_no_effects),
          .known_review_version = std::ranges::all_of(old->webhooks, has_known_review),
          .unique_names = HasUniqueNames(old->webhooks),
          .conditions = !HasSameConditions(configuration.webhooks, old->webhooks)};
}

// A domain of at least three parts.
void CheckName(const std::string& name, const Path& path, FieldErrors& errors) {
  if (name.empty()) return errors.Required(path);
  const api::NameErrors problems = api::CheckDnsSubdomain(name);
  if (!problems.empty()) {
    return errors.Invalid(path, Shown(name), fmt::format("{}", fmt::join(problems, ",")));
  }
  if (std::ranges::count(name, '.') < 2) {
    errors.Invalid(
        path, Shown(name), "should be a domain with at least three segments separated by dots");
  }
}

void CheckOptional(const std::optional<std::string>& value,
                   std::span<const std::string_view> words,
                   const Path& path,
                   FieldErrors& errors) {
  if (value.has_value() && !IsOneOf(words, *value)) errors.NotSupported(path, *value, words);
}

void CheckSideEffects(const std::optional<std::string>& effects,
                      const Demands& demands,
                      const Path& path,
                      FieldErrors& errors) {
  const std::span<const std::string_view> words =
      demands.no_side_effects ? std::span<const std::string_view>(kNoSideEffects) : kSideEffects;
  if (!effects.has_value()) {
    return errors.Required(path, fmt::format("must specify one of {}", fmt::join(words, ", ")));
  }
  if (!IsOneOf(words, *effects)) errors.NotSupported(path, *effects, words);
}

void CheckClient(const v1::WebhookClientConfig& client, const Path& path, FieldErrors& errors) {
  if (client.url.has_value() == client.service.has_value()) {
    return errors.Required(path, "exactly one of url or service is required");
  }
  if (client.url.has_value()) {
    return definitions::CheckWebhookUrl(*client.url, path.Child("url"), errors);
  }
  // Upstream swaps namespace and name.
  definitions::CheckWebhookService({.namespace_ = client.service->name,
                                    .name = client.service->namespace_,
                                    .path = client.service->path,
                                    .port = client.service->port.value_or(kServicePort)},
                                   path.Child("service"),
                                   errors);
}

void CheckReviewVersions(const api::List<std::string>& versions,
                         const Demands& demands,
                         const Path& path,
                         FieldErrors& errors) {
  const std::string known = fmt::format("{}", fmt::join(kReviewVersions, ", "));
  if (versions.empty()) {
    return errors.Required(path, fmt::format("must specify one of {}", known));
  }
  std::set<std::string_view> seen;
  for (size_t i = 0; i < versions.size() && !errors.is_full(); ++i) {
    if (!seen.insert(versions[i]).second) {
      errors.Invalid(path.Index(i), Shown(versions[i]), "duplicate version");
      continue;
    }
    errors.Names(path.Index(i), versions[i], api::CheckDns1035Label(versions[i]));
  }
  if (demands.known_review_version && std::ranges::none_of(versions, IsKnownReview)) {
    errors.Invalid(path,
                   policies::ShownTexts(versions),
                   fmt::format("must include at least one of {}", known));
  }
}

template <class Webhook>
void CheckWebhook(const Webhook& webhook,
                  const Demands& demands,
                  const KnownExpressions& known,
                  const Path& path,
                  FieldErrors& errors) {
  const auto check_selector = [&](const auto& selector, std::string_view name) {
    if (selector.has_value()) validation::CheckLabelSelector(selector, path.Child(name), errors);
  };
  CheckName(webhook.name, path.Child("name"), errors);
  for (size_t i = 0; i < webhook.rules.size() && !errors.is_full(); ++i) {
    const Path rules = path.Child("rules");
    policies::CheckRule(webhook.rules[i], rules.Index(i), errors);
  }
  CheckOptional(
      webhook.failure_policy, policies::kFailurePolicies, path.Child("failurePolicy"), errors);
  CheckOptional(webhook.match_policy, policies::kMatchPolicies, path.Child("matchPolicy"), errors);
  CheckSideEffects(webhook.side_effects, demands, path.Child("sideEffects"), errors);
  const int32_t timeout = webhook.timeout_seconds.value_or(1);
  if (timeout < 1 || timeout > kTimeoutMax) {
    errors.Invalid(path.Child("timeoutSeconds"),
                   std::to_string(timeout),
                   "the timeout value must be between 1 and 30 seconds");
  }
  check_selector(webhook.namespace_selector, "namespaceSelector");
  check_selector(webhook.object_selector, "objectSelector");
  if constexpr (requires { webhook.reinvocation_policy; }) {
    CheckOptional(webhook.reinvocation_policy,
                  kReinvocationPolicies,
                  path.Child("reinvocationPolicy"),
                  errors);
  }
  CheckClient(webhook.client_config, path.Child("clientConfig"), errors);
  if (demands.conditions) {
    const Path conditions = path.Child("matchConditions");
    policies::CheckMatchConditions(webhook.match_conditions,
                                   known,
                                   {.authorizer = true},
                                   policies::Compiler(errors.release()),
                                   {conditions, errors});
  }
  CheckReviewVersions(
      webhook.admission_review_versions, demands, path.Child("admissionReviewVersions"), errors);
}

template <class Configuration>
std::vector<ErrorCause> Validate(const Configuration& configuration,
                                 const Configuration* old,
                                 const validation::Options& options) {
  FieldErrors errors(options.profile.release);
  const Demands demands = DemandsOn(configuration, old);
  KnownExpressions known;
  if (old != nullptr) {
    for (const auto& webhook : old->webhooks) {
      for (const auto& one : webhook.match_conditions) known.insert(one.expression);
    }
  }
  const Path webhooks("webhooks");
  std::set<std::string_view> names;
  for (size_t i = 0; i < configuration.webhooks.size() && !errors.is_full(); ++i) {
    const auto& webhook = configuration.webhooks[i];
    const Path at = webhooks.Index(i);
    CheckWebhook(webhook, demands, known, at, errors);
    const bool is_repeated = !webhook.name.empty() && !names.insert(webhook.name).second;
    if (demands.unique_names && is_repeated)
      errors.Duplicate(at.Child("name"), Shown(webhook.name));
  }
  return std::move(errors).Take();
}

}  // namespace

std::vector<ErrorCause> ValidateMutating(const v1::MutatingWebhookConfiguration& configuration,
                                         const v1::MutatingWebhookConfiguration* old,
                                         const validation::Options& options) {
  return Validate(configuration, old, options);
}

std::vector<ErrorCause> ValidateValidating(const v1::ValidatingWebhookConfiguration& configuration,
                                           const v1::ValidatingWebhookConfiguration* old,
                                           const validation::Options& options) {
  return Validate(configuration, old, options);
}

}  // namespace dray::server::webhooks
