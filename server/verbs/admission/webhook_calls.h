// SPDX-License-Identifier: Apache-2.0
// What the two plugins that ask webhooks have in common: whom they ask, with which review, and what
// becomes of what webhooks say besides their decisions.
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
#include "server/verbs/call.h"
#include "server/webhooks/call_metrics.h"
#include "server/webhooks/caller.h"
#include "server/webhooks/review.h"
#include "server/webhooks/webhook.h"

namespace dray::server::verbs::admission {

/// What all webhooks of a request may take together where the client sets no limit.
inline constexpr std::chrono::seconds kWebhooksTimeMax{60};
/// Bytes of an annotation for the audit log, and annotations of one answer, that are kept.
inline constexpr size_t kWebhookAnnotationBytesMax = size_t{10} << 10;
inline constexpr size_t kWebhookAnnotationsMax = 100;

/// One webhook that is to be asked about a request.
struct AskedWebhook {
  const webhooks::Webhook* webhook;
  policies::Match match;
  size_t index;  // among all webhooks of the purpose, or of those asked
};

/// A review that is ready to be sent, and what its answer must repeat.
struct Review {
  std::string uid;
  webhooks::HookCall call;
};

/// Until when the webhooks of the call must have answered.
MonotonicTime WebhooksDeadline(const Call& call);

/// The review for the webhook; or why it cannot be called.
std::expected<Review, std::string> ReviewFor(const Call& call,
                                             const AskedWebhook& asked,
                                             const policies::AdmissionRequest& request,
                                             const InSnapshot& surroundings,
                                             MonotonicTime deadline);

/// Errors: kBadRequest  the request is a dry run, and a call of the webhook may change something.
Result<> CheckDryRun(const webhooks::Webhook& webhook, const policies::AdmissionRequest& request);

/// What came back for a review.
std::expected<webhooks::Decision, std::string> DecisionOf(webhooks::HookOutcome outcome,
                                                          const webhooks::Webhook& webhook,
                                                          std::string_view uid,
                                                          webhooks::Purpose purpose);

/// Warnings go to the client, annotations to the audit log. Texts that upstream drops are dropped.
void Publish(const Call& call, const webhooks::Webhook& webhook, webhooks::Decision& decision);

/// An annotation of the server itself about calls of webhooks.
void Annotate(const Call& call, std::string key, std::string value);

/// HTTP status of a call that went well.
inline constexpr int kCodeOfAllowed = 200;
/// What upstream counts for a call that ended so, with that error.
int CodeFor(webhooks::CallEnd end, const Error& error);
double SecondsOf(std::chrono::nanoseconds time);

/// The caller has waited longer than the client wanted.
Error WebhooksTookTooLong();

}  // namespace dray::server::verbs::admission
