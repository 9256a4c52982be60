// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/conversion/conversion.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/status.h"
#include "api/text/go_quote.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/storage/keys.h"
#include "server/verbs/admission/in_snapshot.h"
#include "server/verbs/admission/webhook_lists.h"
#include "server/webhooks/address.h"
#include "server/webhooks/answer.h"
#include "server/webhooks/caller.h"
#include "server/webhooks/conversion.h"
#include "server/webhooks/conversion_metrics.h"

namespace dray::server::verbs::inline conversion {
namespace {

using storage::StoredObject;
using storage::Unconverted;
using webhooks::ConversionEnd;
using webhooks::ConversionWebhook;

const ConversionWebhook& WebhookOf(const api::CustomConversion& conversion) {
  // The server makes no other conversions that are possible.
  return static_cast<const ConversionWebhook&>(conversion);
}

Error ConversionFailed(const api::KindInfo& from, std::string_view why) {
  return errors::Untyped(webhooks::ConversionProblem(from, fmt::format("failed: {}", why)));
}

Error TooManyCalls(const api::KindInfo& from) {
  Error error = errors::TooManyRequests();
  error.message = webhooks::ConversionProblem(from, "failed: too many calls of it are under way");
  return error;
}

// Measures a call of a webhook.
class CallTimer {
 public:
  CallTimer(const Core& core, const api::KindInfo& from, const api::KindInfo& to)
      : core_(core), from_(from), to_(to), begin_(core.world.clock.Monotonic()) {}

  void Note(ConversionEnd end) const {
    const std::chrono::duration<double> took = core_.world.clock.Monotonic() - begin_;
    const std::string definition = to_.qualified_resource();
    core_.webhooks->conversion_metrics().Note({.definition = definition,
                                               .from = from_.version,
                                               .to = to_.version,
                                               .end = end,
                                               .seconds = took.count()});
  }

 private:
  const Core& core_;
  const api::KindInfo& from_;
  const api::KindInfo& to_;
  const MonotonicTime begin_;
};

// A review that is ready to be sent, and what its answer must repeat.
struct ReadyCall {
  std::string uid;
  webhooks::HookCall call;
};

// As the webhook sees it: nothing says at which revision the object is.
std::string ConvertedText(const api::Object& object) {
  if (object.metadata().resource_version.empty()) return api::ToJson(object);
  api::Object bare = object.Clone();
  bare.mutable_metadata().resource_version.clear();
  return api::ToJson(bare);
}

Result<ReadyCall> CallFor(const ConversionAsker& asker,
                          const ConversionWebhook& webhook,
                          std::span<const api::Object> objects,
                          const api::CustomKind& to) {
  const Core& core = *asker.core;
  const api::KindInfo& from = objects.front().kind();
  if (!webhook.version().has_value()) {
    return Fail(
        ConversionFailed(from, "it accepts no known ConversionReview versions (v1, v1beta1)"));
  }
  const Frozen<store::Snapshot> snapshot = core.store.Read();
  const admission::InSnapshot surroundings(core, *snapshot);
  auto address = webhooks::AddressOf(webhook.client(), surroundings, core.world.random.Next());
  if (!address.has_value()) {
    const webhooks::NoAddress& none = address.error();
    if (none.url.empty()) return Fail(ConversionFailed(from, none.why));
    const std::string url =
        fmt::format("{}?timeout={}s", none.url, webhooks::kConversionTime.count());
    return Fail(ConversionFailed(from, fmt::format("Post {}: {}", api::GoQuote(url), none.why)));
  }
  std::vector<std::string> texts;
  texts.reserve(objects.size());
  for (const api::Object& object : objects) texts.push_back(ConvertedText(object));
  ReadyCall review{.uid = NewUuid(core.world.random)};
  const MonotonicTime own = core.world.clock.Monotonic() + webhooks::kConversionTime;
  review.call = {.address = *std::move(address),
                 .ca_bundle = webhook.client().ca_bundle.bytes,
                 .body = webhooks::ConversionReviewText(*webhook.version(), review.uid, to, texts),
                 .deadline = std::min(own, asker.latest),
                 .answer_bytes_max = webhooks::kAnswerBytesMax,
                 .owner = asker.owner};
  return review;
}

// The same error about what stands at a revision.
Error NotDecodable(Error error, Revision revision) {
  if (error.reason == StatusReason::kTooManyRequests) return error;
  error.message =
      fmt::format("object not decodable revision={}: {}", revision.value(), error.message);
  return error;
}

// The key as upstream shows it.
std::string_view ShownKey(const store::Record& record) {
  constexpr std::string_view kRoot = "/registry";
  std::string_view key = record.key();
  if (key.starts_with(kRoot)) key.remove_prefix(kRoot.size());
  return key;
}

Error CorruptObject(Error error, std::string_view key) {
  if (error.reason == StatusReason::kTooManyRequests) return error;
  std::string what = fmt::format(
      "StorageError: corrupt object, Code: 7, Key: {}, ResourceVersion: 0, "
      "AdditionalErrorMsg: {}",
      key,
      error.message);
  error = errors::Internal(what);
  error.causes = {{.reason = "", .field = "", .message = std::move(what)}};
  return error;
}

// The whole collection waits for one object: clients are to ask again.
Error Initializing(std::string_view why, const api::KindInfo& kind) {
  Error again = errors::TooManyRequests();
  again.message = fmt::format(
      "storage is (re)initializing: failed to list <unspecified>: failed to read one or more {}.{} "
      "from the storage: {}",
      kind.plural,
      kind.group,
      why);
  return again;
}

Task<Prepared> AskAbout(ConversionAsker asker,
                        const api::CustomKind* to,
                        Unconverted needed,
                        Revision revision) {
  Prepared prepared{needed.stored};
  std::vector<Unconverted> all;
  all.push_back(std::move(needed));
  const Result<> converted = co_await Convert(asker, to, std::move(all));
  if (!converted.has_value()) co_return Fail(NotDecodable(converted.error(), revision));
  co_return prepared;
}

Task<Prepared> AskShown(Soon<Prepared> asked, std::string key) {
  Result<Prepared> prepared = co_await asked;
  if (!prepared.has_value()) co_return Fail(CorruptObject(prepared.error(), key));
  co_return *std::move(prepared);
}

// What is still to be asked for, in calls of one version each, which the webhook can bear.
struct Batch {
  std::vector<Unconverted> needed;
  size_t bytes = 0;

  bool TakesAlso(const Unconverted& one) const {
    return needed.empty() ||
           (needed.size() < webhooks::kConversionObjectsMax &&
            bytes < webhooks::kConversionBytesMax && needed.front().by == one.by &&
            &needed.front().item.object.kind() == &one.item.object.kind());
  }
};

// `object`, of any version of its kind, in the storage version, and without what that does not
// have.
Task<api::Object> InStorageVersion(ConversionAsker asker,
                                   api::Object object,
                                   const api::CustomKind* storage,
                                   Frozen<api::CustomConversion> by) {
  std::vector<api::Object> objects{std::move(object)};
  DRAY_CO_TRY(std::vector<api::Object> converted,
              co_await AskForConversion(asker, std::move(objects), storage, std::move(by)));
  const Frozen<api::CustomVersion> rules = storage->now.Load();
  if (rules != nullptr) {
    rules->Prune(converted.front().Mutable<api::CustomObject>(), nullptr);
  }
  co_return std::move(converted.front());
}

Task<Frozen<StoredObject>> ConvertedForStore(ConversionAsker asker,
                                             api::Object object,
                                             const api::CustomKind* seen_as) {
  const Frozen<api::CustomVersions> versions = seen_as->resource().versions.Load();
  if (versions->storage != nullptr) {
    Frozen<api::CustomConversion> there = api::ConversionBetween(object.kind(), *versions->storage);
    if (there != nullptr) {
      DRAY_CO_TRY(
          object,
          co_await InStorageVersion(asker, std::move(object), versions->storage, std::move(there)));
    }
  }
  Frozen<StoredObject> stored = storage::MakeStored(object);
  Frozen<api::CustomConversion> back = api::ConversionBetween(stored->kind(), *seen_as);
  if (back != nullptr) {
    // Until it is committed it has no resource version, and no other request reads it.
    std::vector<api::Object> objects{std::move(object)};
    DRAY_CO_TRY(std::vector<api::Object> seen,
                co_await AskForConversion(asker, std::move(objects), seen_as, back));
    stored->NoteConverted(std::move(seen.front()), std::move(back));
  }
  co_return stored;
}

// Whether both versions of a custom kind are the one that is stored.
bool IsOfStorageVersion(const api::KindInfo& written, const api::KindInfo& seen) {
  const auto& kind = static_cast<const api::CustomKind&>(written);
  const Frozen<api::CustomVersions> versions = kind.resource().versions.Load();
  return versions->storage != nullptr && versions->storage->version == written.version &&
         written.version == seen.version;
}

Task<bool> FetchMissing(const Call* call) {
  ConversionMemo& memo = *call->conversions;
  std::vector<ConversionMemo::Entry> missing = memo.TakeMissing();
  if (!memo.HasRoomFor(missing.size())) {
    co_return Fail(errors::Internal("too many versions of an object are needed"));
  }
  for (ConversionMemo::Entry& one : missing) {
    Frozen<api::CustomConversion> by = api::ConversionBetween(one.object.kind(), *one.version);
    if (by == nullptr) continue;  // the definition has changed
    std::vector<api::Object> objects{one.object};
    DRAY_CO_TRY(
        std::vector<api::Object> converted,
        co_await AskForConversion(AskerOf(*call), std::move(objects), one.version, std::move(by)));
    one.converted = std::move(converted.front());
    memo.Add(std::move(one));
  }
  co_return true;
}

}  // namespace

ConversionAsker AskerOf(const Call& call) {
  const MonotonicTime latest = call.core->world.clock.Monotonic() + kConversionsTimeMax;
  return {.core = call.core,
          .session = call.session,
          .owner = call.request->owner,
          .latest = std::min(call.request->deadline.value_or(latest), latest)};
}

Task<std::vector<api::Object>> AskForConversion(ConversionAsker asker,
                                                std::vector<api::Object> objects,
                                                const api::CustomKind* to,
                                                Frozen<api::CustomConversion> by) {
  const api::KindInfo& from = objects.front().kind();
  if (!by->is_possible()) {
    co_return Fail(errors::Untyped(storage::VersionIsGone(from.api_version)));
  }
  const ConversionWebhook& webhook = WebhookOf(*by);
  const ConversionWebhook::Place place(webhook);
  if (!place.has_place()) co_return Fail(TooManyCalls(from));
  const CallTimer timer(*asker.core, from, *to);
  Result<ReadyCall> review = CallFor(asker, webhook, objects, *to);
  if (!review.has_value()) {
    timer.Note(ConversionEnd::kNoAnswer);
    co_return Fail(review.error());
  }
  webhooks::Caller& caller = asker.core->webhooks->caller();
  auto start = [&](auto done) { caller.Post(std::move(review->call), std::move(done)); };
  auto outcome = co_await FromCallback<webhooks::HookOutcome>(std::move(start));
  DRAY_CO_TRY_VOID(co_await asker.session->ContinueOnWorker());
  if (!outcome.has_value()) {
    timer.Note(ConversionEnd::kNoAnswer);
    co_return Fail(ConversionFailed(from, outcome.error().why));
  }
  auto converted =
      webhooks::ReadConversion(*std::move(outcome), *webhook.version(), review->uid, objects, *to);
  timer.Note(converted.has_value() ? ConversionEnd::kConverted : converted.error().end);
  if (!converted.has_value()) co_return Fail(errors::Untyped(std::move(converted).error().message));
  co_return *std::move(converted);
}

Task<> Convert(ConversionAsker asker, const api::CustomKind* to, std::vector<Unconverted> needed) {
  std::vector<api::Object> objects;
  objects.reserve(needed.size());
  for (const Unconverted& one : needed) objects.push_back(one.item.object);
  const Frozen<api::CustomConversion> by = needed.front().by;
  DRAY_CO_TRY(std::vector<api::Object> converted,
              co_await AskForConversion(asker, std::move(objects), to, by));
  for (size_t i = 0; i < needed.size(); ++i) {
    needed[i].stored->NoteConverted(std::move(converted[i]), by);
  }
  co_return {};
}

Soon<Prepared> PrepareRecord(const Call& call,
                             const store::Record* record,
                             storage::Freshness freshness) {
  const api::CustomKind* custom = api::CustomOf(call.kind());
  if (custom == nullptr || record == nullptr) return Result<Prepared>(Prepared());
  auto found = storage::UnconvertedOf(call.view(), *record, freshness);
  const bool is_plain = !found.has_value() || !found->has_value();
  if (is_plain) return Result<Prepared>(Prepared());
  Unconverted& needed = **found;
  if (needed.by == nullptr) return Result<Prepared>(Prepared{std::move(needed.stored)});
  return AskAbout(AskerOf(call), custom, std::move(needed), record->modified);
}

Soon<Prepared> PrepareShown(const Call& call, const store::Record& record) {
  Soon<Prepared> asked = PrepareRecord(call, &record, storage::Freshness::kNow);
  if (asked.await_ready()) return asked;
  return AskShown(std::move(asked), std::string(ShownKey(record)));
}

Task<Prepared> PrepareRange(ConversionAsker asker,
                            storage::View view,
                            Frozen<store::Snapshot> snapshot,
                            KeyPlace place,
                            size_t records_max) {
  const api::CustomKind* const to = api::CustomOf(*view.kind);
  Prepared prepared;
  Batch batch;
  size_t looked_at = 0;
  const store::KeyRange range{.prefix = place.prefix, .start_key = place.start_key};
  for (const store::Record& record : snapshot->Range(range)) {
    if (looked_at++ == records_max) break;
    auto found = storage::UnconvertedOf(view, record, storage::Freshness::kKept);
    if (!found.has_value() || !found->has_value()) continue;
    Unconverted& one = **found;
    prepared.push_back(one.stored);
    if (one.by == nullptr) continue;
    if (!batch.TakesAlso(one)) {
      const Result<> done = co_await Convert(asker, to, std::exchange(batch, Batch()).needed);
      if (!done.has_value()) co_return Fail(Initializing(done.error().message, *to));
    }
    batch.bytes += record.value->size();
    batch.needed.push_back(std::move(one));
  }
  if (!batch.needed.empty()) {
    const Result<> done = co_await Convert(asker, to, std::move(batch.needed));
    if (!done.has_value()) co_return Fail(Initializing(done.error().message, *to));
  }
  co_return prepared;
}

bool IsOfDroppedVersion(const api::CustomKind& kind, const store::Record& record) {
  const Frozen<api::CustomVersions> versions = kind.resource().versions.Load();
  const std::string stored = storage::StoredVersion(record);
  return std::ranges::none_of(
      versions->all, [&](const api::CustomKind* one) { return one->api_version == stored; });
}

Result<> CheckVersions(const store::Snapshot& snapshot, const api::CustomKind& kind) {
  for (const store::Record& record :
       snapshot.Range({.prefix = storage::ResourcePrefix(kind.storage())})) {
    if (!IsOfDroppedVersion(kind, record)) continue;
    Error gone = errors::Untyped(storage::VersionIsGone(storage::StoredVersion(record)));
    const Error error = CorruptObject(NotDecodable(std::move(gone), record.modified), record.key());
    return Fail(Initializing(error.causes.front().message, kind));
  }
  return {};
}

Soon<Frozen<StoredObject>> StoredFor(const Call& call, api::Object object) {
  if (api::IsCustom(call.kind()) && call.view().is_storage()) {
    return Result<Frozen<StoredObject>>(StoredObject::Of(std::move(object)));
  }
  if (!MayNeedWebhook(object.kind()) || IsOfStorageVersion(object.kind(), call.kind())) {
    return Result<Frozen<StoredObject>>(storage::MakeStored(std::move(object)));
  }
  return ConvertedForStore(AskerOf(call), std::move(object), api::CustomOf(call.kind()));
}

Soon<bool> FetchConversions(const Call* call) {
  if (HasAllConversions(*call)) return Result<bool>(false);
  return FetchMissing(call);
}

}  // namespace dray::server::verbs::inline conversion
