// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/mutating_webhooks.h"

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/json_tree.h"
#include "api/codec/json_writer.h"
#include "api/text/go_quote.h"
#include "base/try.h"
#include "server/patch/json_patch.h"
#include "server/patch/json_tree.h"
#include "server/patch/patch.h"
#include "server/policies/cel_values.h"
#include "server/verbs/admission/changed_object.h"
#include "server/verbs/admission/seen_request.h"
#include "server/verbs/admission/webhook_calls.h"
#include "server/verbs/admission/webhook_lists.h"
#include "server/verbs/conversion/conversion.h"
#include "server/webhooks/matching.h"

namespace dray::server::verbs::admission {
namespace {

using webhooks::Decision;
using webhooks::Purpose;
using webhooks::Webhook;

// What all webhooks of a round are asked with.
struct Round {
  explicit Round(Passage& of)
      : passage(of),
        call(*of.call),
        snapshot(of.snapshot),
        surroundings(*call.core, *snapshot),
        seen(call, *of.write, surroundings),
        deadline(WebhooksDeadline(call)),
        object(ChangeableOf(of)) {}
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;
  ~Round() = default;

  Passage& passage;
  const Call& call;
  const Frozen<store::Snapshot> snapshot;
  const InSnapshot surroundings;
  const SeenRequest seen;
  const MonotonicTime deadline;
  api::Object* const object;
  Work work{policies::kRequestWorkMax};
};

// Why a webhook ended nothing well. What is wrong with the call may be ignored.
struct Problem {
  Error error;
  bool is_of_call = false;
  bool is_of_server = false;
};

std::unexpected<Problem> OfCall(const Webhook& webhook, std::string_view why) {
  return std::unexpected(
      Problem{.error = webhooks::CallFailure(webhook.name, why), .is_of_call = true});
}

std::unexpected<Problem> OfServer(std::string what) {
  return std::unexpected(
      Problem{.error = webhooks::InternalBecause(std::move(what)), .is_of_server = true});
}

// ----------------------------------------------------------------------------------------- patches

// The patched JSON as an object in the form of the store.
std::expected<api::Object, Problem> Decoded(const Round& round,
                                            const AskedWebhook& asked,
                                            std::string_view json) {
  const api::KindInfo& kind = *asked.match.kind;
  const api::Release release = round.call.request->release;
  const Result<api::TypeMeta> said = api::ReadTypeMeta(json);
  if (!said.has_value()) return OfServer(said.error().message);
  if (said->kind != kind.kind || said->api_version != kind.api_version) {
    return OfServer(fmt::format(
        R"(no kind "{}" is registered for version "{}" in scheme "pkg/runtime/scheme.go:111")",
        said->kind,
        said->api_version));
  }
  Result<api::Object> object = api::DecodeJson(kind, json, nullptr, {.release = release});
  if (!object.has_value()) return OfServer(object.error().message);
  return AfterChange(round.call, kind, *round.object, *std::move(object));
}

// What the patch makes of the object, in the version that the webhook saw; nothing: no change.
std::expected<std::optional<api::Object>, Problem> Patched(const Round& round,
                                                           const AskedWebhook& asked,
                                                           const Decision& decision) {
  const Webhook& webhook = *asked.webhook;
  if (decision.patch.empty()) return std::nullopt;
  Result<patch::JsonTree> patch = patch::ParseJsonTree(decision.patch, patch::kDepthMax);
  if (!patch.has_value() || !(patch->is_array() || patch->is_null())) {
    return OfCall(webhook,
                  fmt::format("received undecodable patch in webhook response: {}",
                              patch.has_value() ? fmt::format("json: cannot unmarshal {} into Go "
                                                              "value of type jsonpatch.Patch",
                                                              GoJsonKind(*patch))
                                                : patch.error().message));
  }
  if (patch->is_null() || patch->elements().empty()) return std::nullopt;
  if (round.object == nullptr) {
    return OfServer(
        fmt::format("admission webhook {} attempted to modify the object, which is not "
                    "supported for this operation",
                    api::GoQuote(webhook.name)));
  }
  if (decision.patch_type != "JSONPatch") {
    return OfCall(webhook,
                  fmt::format("unsupported patch type {}", api::GoQuote(decision.patch_type)));
  }
  const std::string json = policies::JsonText(
      *round.object, *asked.match.kind, round.call.request->release, round.seen.request.converter);
  Result<patch::JsonTree> document = patch::ParseJsonTree(json, patch::kDepthMax);
  if (!document.has_value()) return OfServer(document.error().message);
  const Result<> applied = patch::ApplyJsonPatch(*std::move(patch), *document);
  if (!applied.has_value()) return OfServer(applied.error().message);
  std::string patched;
  WriteJsonTree(*document, patched);
  if (patched.size() > patch::kPatchedBytesMax) {
    return OfServer(
        fmt::format("the patched object is larger than {} bytes", patch::kPatchedBytesMax));
  }
  return Decoded(round, asked, patched);
}

// ----------------------------------------------------------------------------------------- rounds

std::string PlaceOf(const Round& round, const AskedWebhook& asked) {
  return fmt::format("round_{}_index_{}", round.passage.rounds.is_second ? 1 : 0, asked.index);
}

void AnnotateMutation(const Round& round, const AskedWebhook& asked, bool is_changed) {
  Annotate(round.call,
           "mutation.webhook.admission.k8s.io/" + PlaceOf(round, asked),
           api::JsonText([&](api::JsonWriter& json) {
             json.Object([&] {
               json.Member("configuration", asked.webhook->configuration);
               json.Member("webhook", asked.webhook->name);
               json.Member("mutated", is_changed);
             });
           }));
}

// Carries out what the webhook decided. Whether it changed the object.
std::expected<bool, Problem> CarryOut(const Round& round,
                                      const AskedWebhook& asked,
                                      std::expected<Decision, std::string> decision) {
  const Webhook& webhook = *asked.webhook;
  if (!decision.has_value()) return OfCall(webhook, decision.error());
  Publish(round.call, webhook, *decision);
  if (!decision->is_allowed) {
    return std::unexpected(Problem{webhooks::DenialOf(webhook.name, std::move(decision->status))});
  }
  auto patched = Patched(round, asked, *decision);
  if (!patched.has_value()) return std::unexpected(std::move(patched).error());
  if (!patched->has_value()) return false;
  const bool is_changed = !(**patched == *round.object);
  *round.object = **std::move(patched);
  return is_changed;
}

// What the webhook decides, or why it cannot be asked.
Task<std::expected<Decision, std::string>> Ask(const Round* round, AskedWebhook asked) {
  using Answer = std::expected<Decision, std::string>;
  const Call& call = round->call;
  auto review = ReviewFor(call, asked, round->seen.request, round->surroundings, round->deadline);
  while (true) {
    DRAY_CO_TRY(const bool is_again, co_await FetchConversions(&call));
    if (!is_again) break;
    review = ReviewFor(call, asked, round->seen.request, round->surroundings, round->deadline);
  }
  if (!review.has_value()) co_return Answer(std::unexpected(review.error()));
  webhooks::Caller& caller = call.core->webhooks->caller();
  auto start = [&](auto done) { caller.Post(std::move(review->call), std::move(done)); };
  auto outcome = co_await FromCallback<webhooks::HookOutcome>(std::move(start));
  DRAY_CO_TRY_VOID(co_await call.session->ContinueOnWorker());
  co_return DecisionOf(std::move(outcome), *asked.webhook, review->uid, Purpose::kMutate);
}

void Measure(const Round& round,
             const Webhook& webhook,
             MonotonicTime began,
             const std::expected<bool, Problem>& changed) {
  using webhooks::CallEnd;
  CallEnd end = CallEnd::kAllowed;
  int code = kCodeOfAllowed;
  if (!changed.has_value()) {
    const Problem& problem = changed.error();
    end = problem.is_of_call && webhook.ignores_failures ? CallEnd::kFailedOpen
          : problem.is_of_call                           ? CallEnd::kFailed
          : problem.is_of_server                         ? CallEnd::kBroken
                                                         : CallEnd::kDenied;
    code = CodeFor(end, problem.error);
  }
  const Core& core = *round.call.core;
  core.webhooks->metrics().Note({.webhook = webhook.name,
                                 .purpose = Purpose::kMutate,
                                 .operation = round.seen.request.operation,
                                 .end = end,
                                 .code = code,
                                 .seconds = SecondsOf(core.world.clock.Monotonic() - began)});
}

Task<> AskAndCarryOut(const Round* round, AskedWebhook asked) {
  const Webhook& webhook = *asked.webhook;
  Rounds& rounds = round->passage.rounds;
  DRAY_CO_TRY_VOID(CheckDryRun(webhook, round->seen.request));
  const MonotonicTime began = round->call.core->world.clock.Monotonic();
  DRAY_CO_TRY(auto decision, co_await Ask(round, asked));
  const bool is_of_another_version = round->object != nullptr && decision.has_value() &&
                                     asked.match.kind != &round->object->kind();
  if (is_of_another_version) {
    for (bool is_again = true; is_again;) {
      (void)Patched(*round, asked, *decision);  // notes what has to be converted back
      DRAY_CO_TRY(is_again, co_await FetchConversions(&round->call));
    }
  }
  auto changed = CarryOut(*round, asked, std::move(decision));
  AnnotateMutation(*round, asked, changed.value_or(false));
  Measure(*round, webhook, began, changed);
  if (changed.value_or(false)) {
    rounds.webhook_turns.NoteChange();
    rounds.wants_second = true;
  }
  if (webhook.is_reinvoked) rounds.webhook_turns.asked.insert(webhook.id);
  if (changed.has_value()) co_return {};
  Problem& problem = changed.error();
  if (!problem.is_of_call || !webhook.ignores_failures) co_return Fail(std::move(problem.error));
  Annotate(round->call,
           "failed-open.mutation.webhook.admission.k8s.io/" + PlaceOf(*round, asked),
           webhook.name);
  if (round->call.core->world.clock.Monotonic() >= round->deadline) {
    co_return Fail(WebhooksTookTooLong());
  }
  co_return {};
}

}  // namespace

bool HasMutatingWebhooks(const Call& call, const store::Snapshot& snapshot) {
  return !call.is_own && WebhookLists::AreAny(snapshot, Purpose::kMutate) &&
         !webhooks::IsExempt(call.kind());
}

Task<> AskMutatingWebhooks(Passage* passage) {
  Round round(*passage);
  Rounds& rounds = passage->rounds;
  const auto list = round.call.core->webhooks->In(*round.snapshot, Purpose::kMutate);
  const bool is_changed_since = rounds.is_second && round.object != nullptr &&
                                !rounds.webhook_outcome.empty() &&
                                !(*round.object == rounds.webhook_outcome);
  if (is_changed_since) rounds.webhook_turns.NoteChange();
  for (size_t i = 0; i < list->size(); ++i) {
    const Webhook& webhook = (*list)[i];
    DRAY_CO_TRY(const std::optional<policies::Match> match,
                webhooks::MatchOf(webhook, round.seen.request, round.surroundings, round.work));
    if (!match.has_value()) continue;
    if (rounds.is_second && !rounds.webhook_turns.due.contains(webhook.id)) continue;
    const AskedWebhook asked{.webhook = &webhook, .match = *match, .index = i};
    DRAY_CO_TRY_VOID(co_await AskAndCarryOut(&round, asked));
  }
  if (rounds.wants_second && round.object != nullptr)
    rounds.webhook_outcome = round.object->Clone();
  co_return {};
}

}  // namespace dray::server::verbs::admission
