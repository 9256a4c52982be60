// SPDX-License-Identifier: Apache-2.0
// The webhooks of stored configurations, ready to be asked by any number of threads.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/admissionregistration_v1/policy.h"
#include "api/admissionregistration_v1/webhook.h"
#include "api/release.h"
#include "server/policies/compiled_policy.h"

namespace dray::server::webhooks {

/// What webhooks of a configuration may do with a write.
enum class Purpose : uint8_t { kMutate, kValidate };

/// Versions of reviews that the server speaks.
enum class ReviewVersion : uint8_t { kV1, kV1beta1 };

/// The first of `versions` that the server speaks; none: it speaks none.
std::optional<ReviewVersion> ReviewVersionOf(const api::List<std::string>& versions);

struct Webhook {
  std::string name;
  std::string configuration;
  /// Its name among all webhooks of its purpose; several of a configuration may have one name.
  std::string id;
  api::admissionregistration_v1::WebhookClientConfig client;
  /// Rules, selectors and matchPolicy in the form of policies. Without rules nothing matches.
  api::admissionregistration_v1::MatchResources constraints;
  std::vector<policies::CompiledExpression> conditions;
  std::chrono::seconds timeout{};
  /// The first of its versions that the server knows; none: it cannot be asked.
  std::optional<ReviewVersion> version;
  /// Requests pass where it cannot be asked (failurePolicy Ignore).
  bool ignores_failures = false;
  /// A call in a dry run changes nothing (sideEffects None, NoneOnDryRun).
  bool allows_dry_run = false;
  /// Mutating webhooks: asked again after others changed the object (reinvocationPolicy IfNeeded).
  bool is_reinvoked = false;
};

/// The webhooks in the order of the configuration. O(length of all expressions).
std::vector<Webhook> WebhooksOf(
    const api::admissionregistration_v1::MutatingWebhookConfiguration& configuration,
    api::Release release);
std::vector<Webhook> WebhooksOf(
    const api::admissionregistration_v1::ValidatingWebhookConfiguration& configuration,
    api::Release release);

}  // namespace dray::server::webhooks
