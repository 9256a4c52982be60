// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/webhook.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "server/policies/expressions.h"

namespace dray::server::webhooks {
namespace {

namespace v1 = api::admissionregistration_v1;

constexpr int32_t kTimeoutSeconds = 10;  // upstream's default, for configurations without one

v1::MatchResources ConstraintsOf(const auto& webhook) {
  v1::MatchResources constraints;
  constraints.match_policy = webhook.match_policy;
  constraints.namespace_selector = webhook.namespace_selector;
  constraints.object_selector = webhook.object_selector;
  for (const v1::RuleWithOperations& rule : webhook.rules) {
    constraints.resource_rules.emplace_back().rule_with_operations = rule;
  }
  return constraints;
}

std::vector<policies::CompiledExpression> ConditionsOf(
    const api::List<v1::MatchCondition>& conditions, api::Release release) {
  std::vector<policies::CompiledExpression> compiled;
  const policies::Compiler compiler(release);
  const policies::Declared declared{.authorizer = true};
  for (const v1::MatchCondition& condition : conditions) {
    compiled.push_back({.text = condition.expression,
                        .declared = declared,
                        .program = compiler.Compile(condition.expression,
                                                    declared,
                                                    policies::ResultKind::kBool,
                                                    cel::ExpressionUse::kStored)});
  }
  return compiled;
}

template <class Configuration>
std::vector<Webhook> Compiled(const Configuration& configuration, api::Release release) {
  std::vector<Webhook> webhooks;
  std::map<std::string, size_t> seen;
  for (const auto& one : configuration.webhooks) {
    Webhook& webhook = webhooks.emplace_back();
    webhook.name = one.name;
    webhook.configuration = configuration.metadata.name;
    webhook.id = fmt::format("{}/{}/{}", webhook.configuration, one.name, seen[one.name]++);
    webhook.client = one.client_config;
    webhook.constraints = ConstraintsOf(one);
    webhook.conditions = ConditionsOf(one.match_conditions, release);
    webhook.timeout = std::chrono::seconds(one.timeout_seconds.value_or(kTimeoutSeconds));
    webhook.version = ReviewVersionOf(one.admission_review_versions);
    webhook.ignores_failures = one.failure_policy == "Ignore";
    webhook.allows_dry_run = one.side_effects == "None" || one.side_effects == "NoneOnDryRun";
    if constexpr (requires { one.reinvocation_policy; }) {
      webhook.is_reinvoked = one.reinvocation_policy == "IfNeeded";
    }
  }
  return webhooks;
}

}  // namespace

std::optional<ReviewVersion> ReviewVersionOf(const api::List<std::string>& versions) {
  for (const std::string& version : versions) {
    if (version == "v1") return ReviewVersion::kV1;
    if (version == "v1beta1") return ReviewVersion::kV1beta1;
  }
  return std::nullopt;
}

std::vector<Webhook> WebhooksOf(const v1::MutatingWebhookConfiguration& configuration,
                                api::Release release) {
  return Compiled(configuration, release);
}

std::vector<Webhook> WebhooksOf(const v1::ValidatingWebhookConfiguration& configuration,
                                api::Release release) {
  return Compiled(configuration, release);
}

}  // namespace dray::server::webhooks
