// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/webhook_calls.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "api/status.h"
#include "api/text/go_quote.h"
#include "api/text/names.h"
#include "server/errors/errors.h"
#include "server/policies/cel_values.h"
#include "server/webhooks/address.h"

namespace dray::server::verbs::admission {
namespace {

using webhooks::Decision;
using webhooks::Webhook;

std::string TextOf(const api::Object* object,
                   const AskedWebhook& asked,
                   const policies::AdmissionRequest& request) {
  return object == nullptr || object->empty()
             ? std::string()
             : policies::JsonText(*object, *asked.match.kind, request.release, request.converter);
}

// Whether a text is valid in a header: upstream drops texts with control characters.
bool IsHeaderText(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7F) return false;
    // U+0080 to U+009F
    if (byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) {
      return false;
    }
  }
  return true;
}

}  // namespace

MonotonicTime WebhooksDeadline(const Call& call) {
  const MonotonicTime latest = call.core->world.clock.Monotonic() + kWebhooksTimeMax;
  return std::min(call.request->deadline.value_or(latest), latest);
}

Result<> CheckDryRun(const Webhook& webhook, const policies::AdmissionRequest& request) {
  if (!request.dry_run || webhook.allows_dry_run) return {};
  return Fail(errors::BadRequest(
      fmt::format("admission webhook {} does not support dry run", api::GoQuote(webhook.name))));
}

std::expected<Review, std::string> ReviewFor(const Call& call,
                                             const AskedWebhook& asked,
                                             const policies::AdmissionRequest& request,
                                             const InSnapshot& surroundings,
                                             MonotonicTime deadline) {
  const Core& core = *call.core;
  const Webhook& webhook = *asked.webhook;
  if (!webhook.version.has_value()) {
    return std::unexpected(
        "could not create admission objects: webhook does not accept known AdmissionReview "
        "versions (v1, v1beta1)");
  }
  const MonotonicTime own = core.world.clock.Monotonic() + webhook.timeout;
  Review review{.uid = NewUuid(core.world.random)};
  auto address = webhooks::AddressOf(webhook.client, surroundings, core.world.random.Next());
  if (!address.has_value()) {
    const webhooks::NoAddress& none = address.error();
    if (none.url.empty()) {
      return std::unexpected(fmt::format("could not get REST client: {}", none.why));
    }
    return std::unexpected(
        fmt::format("failed to call webhook: Post {}: {}",
                    api::GoQuote(fmt::format("{}?timeout={}s", none.url, webhook.timeout.count())),
                    none.why));
  }
  const std::string object = TextOf(request.object, asked, request);
  const std::string old_object = TextOf(request.old_object, asked, request);
  review.call = {.address = *std::move(address),
                 .ca_bundle = webhook.client.ca_bundle.bytes,
                 .body = webhooks::ReviewText(*webhook.version,
                                              review.uid,
                                              request,
                                              asked.match,
                                              {.object = object, .old_object = old_object}),
                 .deadline = std::min(own, deadline),
                 .answer_bytes_max = webhooks::kAnswerBytesMax,
                 .owner = call.request->owner};
  return review;
}

std::expected<Decision, std::string> DecisionOf(webhooks::HookOutcome outcome,
                                                const Webhook& webhook,
                                                std::string_view uid,
                                                webhooks::Purpose purpose) {
  if (outcome.has_value()) {
    return webhooks::ReadAnswer(*std::move(outcome), *webhook.version, uid, purpose);
  }
  const webhooks::HookProblem& problem = outcome.error();
  return std::unexpected(
      fmt::format("{}: {}",
                  problem.is_about_client ? "could not get REST client" : "failed to call webhook",
                  problem.why));
}

void Publish(const Call& call, const Webhook& webhook, Decision& decision) {
  for (std::string& warning : decision.warnings) {
    if (!warning.empty() && IsHeaderText(warning)) call.warnings->push_back(std::move(warning));
  }
  size_t kept = 0;
  for (const auto& [key, value] : decision.annotations) {
    const std::string full = fmt::format("{}/{}", webhook.name, key);
    if (std::ranges::count(full, '/') != 1 || !api::CheckLabelKey(full).empty()) continue;
    if (++kept > kWebhookAnnotationsMax) return;
    Annotate(call, full, value.substr(0, kWebhookAnnotationBytesMax));
  }
}

int CodeFor(webhooks::CallEnd end, const Error& error) {
  constexpr int kUnavailable = 503;
  switch (end) {
    case webhooks::CallEnd::kAllowed: return kCodeOfAllowed;
    case webhooks::CallEnd::kDenied: return api::StatusOf(error).code;
    case webhooks::CallEnd::kFailed:
    case webhooks::CallEnd::kFailedOpen: return kUnavailable;
    case webhooks::CallEnd::kBroken: break;
  }
  return 0;
}

double SecondsOf(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

Error WebhooksTookTooLong() {
  return errors::WithoutSubject(StatusReason::kTimeout,
                                "Timeout: request did not complete within requested timeout");
}

}  // namespace dray::server::verbs::admission
