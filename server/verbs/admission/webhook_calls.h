// SPDX-License-Identifier: Apache-2.0
// The common part of the two plugins that call webhooks: deadlines, reviews, decisions, and the
// warnings and annotations of webhooks.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/work.h"
#include "base/world.h"
#include "server/policies/admission_request.h"
#include "server/policies/match.h"
#include "server/verbs/admission/seen_request.h"
#include "server/verbs/context/call.h"
#include "server/webhooks/call_metrics.h"
#include "server/webhooks/caller.h"
#include "server/webhooks/review.h"
#include "server/webhooks/webhook.h"

namespace dray::server::verbs::admission {

/// The time for all webhooks of a request together where the client sets no limit.
inline constexpr std::chrono::seconds kWebhooksTimeMax{60};
/// The most bytes of an annotation for the audit log, and the most annotations of one answer; the
/// rest is dropped.
inline constexpr size_t kWebhookAnnotationBytesMax = size_t{10} << 10;
inline constexpr size_t kWebhookAnnotationsMax = 100;

/// One webhook to be called for a request.
struct AskedWebhook {
  const webhooks::Webhook* webhook;
  policies::Match match;
  size_t index;  // among all webhooks of the purpose, or among those to be called
};

/// A review that is ready to be sent, and the uid that its answer must repeat.
struct Review {
  std::string uid;
  webhooks::HookCall call;
};

/// The time by which all webhooks of the call must have answered.
MonotonicTime WebhooksDeadline(const Call& call);

/// The review for the webhook, or the reason why it cannot be called.
std::expected<Review, std::string> ReviewFor(const Call& call,
                                             const AskedWebhook& asked,
                                             const policies::AdmissionRequest& request,
                                             const InSnapshot& surroundings,
                                             MonotonicTime deadline);

/// Errors: kBadRequest  the request is a dry run, and the webhook may have side effects.
Result<> CheckDryRun(const webhooks::Webhook& webhook, const policies::AdmissionRequest& request);

/// The decision in a webhook's answer, or the reason why the call failed.
std::expected<webhooks::Decision, std::string> DecisionOf(webhooks::HookOutcome outcome,
                                                          const webhooks::Webhook& webhook,
                                                          std::string_view uid,
                                                          webhooks::Purpose purpose);

/// Adds the decision's warnings to the answer and its annotations to the audit log. Drops the texts
/// that upstream drops.
void Publish(const Call& call, const webhooks::Webhook& webhook, webhooks::Decision& decision);

/// The HTTP status in metrics of a call that allowed the request.
inline constexpr int kCodeOfAllowed = 200;
/// The status code that upstream's metrics have for a call with that end and error.
int CodeFor(webhooks::CallEnd end, const Error& error);
double SecondsOf(std::chrono::nanoseconds time);

/// The error when the webhooks took longer than the client's timeout.
Error WebhooksTookTooLong();

}  // namespace dray::server::verbs::admission
