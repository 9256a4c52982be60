// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/validating_webhooks.h"

#include <algorithm>
#include <atomic>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"
#include "server/policies/evaluation.h"
#include "server/verbs/admission/seen_request.h"
#include "server/verbs/admission/webhook_calls.h"
#include "server/verbs/admission/webhook_lists.h"
#include "server/verbs/conversion/conversion.h"
#include "server/webhooks/matching.h"

namespace dray::server::verbs::admission {
namespace {

using webhooks::HookOutcome;
using webhooks::Purpose;
using webhooks::Webhook;

// The call of one webhook: its review and its outcome.
struct Asking {
  AskedWebhook asked;
  std::expected<Review, std::string> review;
  std::optional<HookOutcome> outcome = std::nullopt;
  size_t arrival = 0;  // the outcome's place in the order of arrival
  MonotonicTime began = {}, ended = {};
};

// Calls under way. The outcomes go to the elements of the span.
struct Gathering {
  explicit Gathering(size_t count) : left(count) {}
  std::atomic<size_t> left;
  std::atomic<size_t> arrived = 0;
  std::move_only_function<void(bool)> all_arrived;
};

// Sends the reviews, and waits for all outcomes.
Task<> SendAll(const Call* call, std::span<Asking> batch) {
  webhooks::Caller& caller = call->core->webhooks->caller();
  auto start = [&](auto done) {
    const auto gathering = std::make_shared<Gathering>(batch.size());
    gathering->all_arrived = std::move(done);
    for (Asking& one : batch) {
      caller.Post(std::move(one.review->call), [gathering, call, &one](HookOutcome outcome) {
        one.outcome.emplace(std::move(outcome));
        one.ended = call->core->world.clock.Monotonic();
        one.arrival = gathering->arrived.fetch_add(1);
        if (gathering->left.fetch_sub(1) == 1) std::exchange(gathering->all_arrived, nullptr)(true);
      });
    }
  };
  co_await FromCallback<bool>(std::move(start));
  co_return co_await call->session->ContinueOnWorker();
}

// The end of a call, and its error if the request must be refused.
struct Ending {
  webhooks::CallEnd end = webhooks::CallEnd::kAllowed;
  std::optional<Error> error = std::nullopt;
};

Ending EndOf(const Call& call, Asking& asking) {
  using webhooks::CallEnd;
  const Webhook& webhook = *asking.asked.webhook;
  std::expected<webhooks::Decision, std::string> decision =
      asking.review.has_value()
          ? DecisionOf(*std::move(asking.outcome), webhook, asking.review->uid, Purpose::kValidate)
          : std::unexpected(asking.review.error());
  if (decision.has_value()) {
    Publish(call, webhook, *decision);
    if (decision->is_allowed) return {};
    return {.end = CallEnd::kDenied,
            .error = webhooks::DenialOf(webhook.name, std::move(decision->status))};
  }
  if (!webhook.ignores_failures) {
    return {.end = CallEnd::kFailed,
            .error = webhooks::CallFailure(webhook.name, decision.error())};
  }
  Annotate(call,
           fmt::format("failed-open.validating.webhook.admission.k8s.io/round_0_index_{}",
                       asking.asked.index),
           webhook.name);
  return {.end = CallEnd::kFailedOpen};
}

// Records the outcome of one webhook; returns its error, if any.
std::optional<Error> Judge(const Call& call, policies::Operation operation, Asking& asking) {
  Ending ending = EndOf(call, asking);
  call.core->webhooks->metrics().Note(
      {.webhook = asking.asked.webhook->name,
       .purpose = Purpose::kValidate,
       .operation = operation,
       .end = ending.end,
       .code = CodeFor(ending.end, ending.error.value_or(Error())),
       .seconds = SecondsOf(std::max(asking.ended, asking.began) - asking.began)});
  return std::move(ending.error);
}

// Keeps the failure that arrived first.
class FirstFailure {
 public:
  void Note(size_t arrival, std::optional<Error> error) {
    if (!error.has_value() || (error_.has_value() && arrival_ <= arrival)) return;
    arrival_ = arrival;
    error_ = std::move(error);
  }
  Result<> Take() && {
    if (error_.has_value()) return Fail(*std::move(error_));
    return {};
  }

 private:
  size_t arrival_ = 0;
  std::optional<Error> error_;
};

}  // namespace

bool HasValidatingWebhooks(const Call& call, const store::Snapshot& snapshot) {
  return !call.is_own && WebhookLists::AreAny(snapshot, Purpose::kValidate) &&
         !webhooks::IsExempt(call.kind());
}

Task<> AskValidatingWebhooks(Passage* passage) {
  const Call& call = *passage->call;
  const Frozen<store::Snapshot> snapshot = passage->snapshot;
  const InSnapshot surroundings(*call.core, *snapshot);
  const SeenRequest seen(call, *passage->write, surroundings);
  const MonotonicTime deadline = WebhooksDeadline(call);
  const auto list = call.core->webhooks->In(*snapshot, Purpose::kValidate);
  Work work(policies::kRequestWorkMax);
  std::vector<AskedWebhook> asked;
  for (const Webhook& webhook : *list) {
    DRAY_CO_TRY(const std::optional<policies::Match> match,
                webhooks::MatchOf(webhook, seen.request, surroundings, work));
    if (match.has_value()) {
      asked.push_back({.webhook = &webhook, .match = *match, .index = asked.size()});
    }
  }
  FirstFailure failure;
  for (size_t next = 0; next < asked.size();) {
    std::vector<Asking> batch;
    size_t bytes = 0;
    while (next < asked.size() && batch.size() < kAskedAtOnceMax && bytes < kReviewBytesAtOnceMax) {
      const AskedWebhook& one = asked[next++];
      const Result<> runs_dry = CheckDryRun(*one.webhook, seen.request);
      if (!runs_dry.has_value()) {
        failure.Note(0, runs_dry.error());
        continue;
      }
      Asking asking{.asked = one,
                    .review = ReviewFor(call, one, seen.request, surroundings, deadline),
                    .began = call.core->world.clock.Monotonic()};
      while (true) {
        DRAY_CO_TRY(const bool is_again, co_await FetchConversions(&call));
        if (!is_again) break;
        asking.review = ReviewFor(call, one, seen.request, surroundings, deadline);
      }
      if (!asking.review.has_value()) {
        failure.Note(0, Judge(call, seen.request.operation, asking));
        continue;
      }
      bytes += asking.review->call.body.size();
      batch.push_back(std::move(asking));
    }
    if (batch.empty()) continue;
    DRAY_CO_TRY_VOID(co_await SendAll(&call, batch));
    for (Asking& one : batch) {
      failure.Note(one.arrival, Judge(call, seen.request.operation, one));
    }
  }
  co_return std::move(failure).Take();
}

}  // namespace dray::server::verbs::admission
