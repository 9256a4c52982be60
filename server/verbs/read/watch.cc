// SPDX-License-Identifier: Apache-2.0
// Watch: a cursor over the store's events, filtered by a selection.
//
// The cursor owns no queue. It holds the revision up to which its client has seen everything, so a
// slow client costs nothing. Once the store has dropped events that the client missed, the watch
// ends with an error and the client must list again. The selection changes events: an object that
// stops matching is deleted for the client, one that starts matching is added. An object that
// cannot be read is treated as absent, as in lists.
#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "api/status.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/storage/keys.h"
#include "server/storage/node_field.h"
#include "server/storage/stored_object.h"
#include "server/verbs/context/resource_version.h"
#include "server/verbs/conversion/watch_conversions.h"
#include "server/verbs/read/list_plan.h"
#include "server/verbs/read/read.h"
#include "server/verbs/read/selection.h"

namespace dray::server::verbs::inline read {
namespace {

using storage::Item;

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

// A stream without a deadline of its own ends after a random time, so that reconnecting clients
// spread out.
constexpr int64_t kLeastSeconds = 1800;

// One page of the state ends after the object that reaches this number of bytes, so that the thread
// is free for other requests.
constexpr size_t kPageBytes = size_t{256} << 10;
// The least number of bytes that a record counts.
constexpr size_t kRecordBytes = 256;

// Objects that a webhook is asked for at once.
constexpr size_t kConvertedPage = 100;

// How long the client wants its stream open. 0 is "not set", as upstream has it: what clients send
// that want it open for ever.
int64_t StreamSeconds(const ListOptions& options, Random& random) {
  const int64_t asked = options.timeout_seconds.value_or(0);
  if (asked != 0) return std::clamp<int64_t>(asked, 0, kWatchSecondsMax);
  return kLeastSeconds + static_cast<int64_t>(random.Next() % static_cast<uint64_t>(kLeastSeconds));
}

// The prefix of the collection, or the key of the only object that the selector can match: a watch
// by name costs only the events of that name. (Other names may begin with that key, so each event
// is still matched.)
std::string ScopeOf(const ResourceRequest& request, const Selection& selection) {
  const api::KindInfo& hub = request.kind->storage();
  std::string scope = storage::CollectionPrefix(hub, request.namespace_);
  const auto name = selection.fields.RequiredValue("metadata.name");
  const bool is_one = name.has_value() && !(hub.namespaced && request.namespace_.empty());
  if (is_one) scope += *name;
  return scope;
}

// By which node of its objects a watch is woken; nothing: by all objects of its scope.
struct ByNode {
  storage::NodeField field;
  std::string scope;
};

std::optional<ByNode> ByNodeOf(const ResourceRequest& request,
                               const Selection& selection,
                               std::string_view prefix) {
  const auto node = selection.fields.RequiredValue("spec.nodeName");
  if (!node.has_value() || !prefix.ends_with('/')) return std::nullopt;
  const auto field = storage::NodeFieldOf(request.kind->storage());
  if (!field.has_value()) return std::nullopt;
  return ByNode{.field = *field, .scope = WatchHub::OnNode(prefix, *node)};
}

struct WatchPlan {
  bool initial = false;       // begin with the present objects
  bool announce_end = false;  // send a bookmark after the initial events
  Revision after{0};          // else: events after this one
  Frozen<store::Snapshot> start = nullptr;
  std::optional<Error> failure = std::nullopt;  // sent as the first event
  int64_t timeout_seconds = 0;
};

// Sets replicas in the spec of an empty workload, which bookmarks carry. In upstream's internal
// form of kinds in "apps" that number is not optional, so it is present in bookmarks.
void SetNoReplicas(api::Object& object) {
  if (object.kind().group != "apps") return;
  const api::Field* const spec = object.type().Find("spec");
  if (spec == nullptr || spec->type().kind != api::TypeKind::kStruct) return;
  const api::Field* const replicas = spec->type().Find("replicas");
  if (replicas == nullptr || replicas->type().kind != api::TypeKind::kOptional) return;
  void* const member = MutableMember(*replicas, MutableMember(*spec, object.mutable_value()));
  replicas->type().container->add(member, {});
}

// By what a kind shows its objects; a watch ends when that changes.
struct ShownBy {
  Frozen<api::CustomVersion> rules;
  Frozen<api::CustomConversion> conversion;

  explicit ShownBy(storage::View view) : rules(view.rules()) {
    const api::CustomKind* custom = api::CustomOf(*view.kind);
    if (custom != nullptr) conversion = custom->resource().versions.Load()->conversion;
  }
  bool operator==(const ShownBy&) const = default;
};

struct Watched {
  const ResourceRequest& request;
  Selection selection;
  ShareBudget::Claim place;  // of the watch, among its owner's
};

class Cursor final : public WatchCursor {
 public:
  Cursor(const Core& core, WatchHub& hub, Watched watched, const WatchPlan& plan)
      : store_(core.store),
        lenient_(*core.lenient),
        hub_(hub),
        place_(std::move(watched.place)),
        view_{.kind = watched.request.kind, .release = watched.request.release},
        prefix_(ScopeOf(watched.request, watched.selection)),
        by_node_(ByNodeOf(watched.request, watched.selection, prefix_)),
        selection_(std::move(watched.selection)),
        extent_(selection_.is_everything() ? watched.request.extent : storage::Extent::kWhole),
        bookmarks_(watched.request.list.allow_watch_bookmarks),
        timeout_seconds_(plan.timeout_seconds),
        announce_end_(plan.announce_end),
        after_(plan.after),
        failure_(plan.failure) {
    if (shown_by_.conversion != nullptr) {
      conversions_ = std::make_unique<WatchedConversions>(core, view_, watched.request.owner);
    }
    if (!plan.initial) return;
    initial_ = plan.start;
    next_key_ = prefix_;
    after_ = plan.start->revision();
  }

  std::vector<WatchEvent> Next(size_t max) override {
    std::vector<WatchEvent> events;
    if (ended_) return events;
    has_more_ = !IsHeldUp(events);
    if (!has_more_) return events;
    if (initial_ != nullptr) {
      Initial(max, events);
    } else {
      Live(max, events);
    }
    has_more_ = has_more_ && !ended_;
    return events;
  }

  bool has_more() const override { return has_more_; }

  bool is_over() const override { return !has_more_ && !IsShownAsBefore(); }

  std::optional<WatchEvent> Bookmark() override {
    if (!bookmarks_ || ended_ || initial_ != nullptr) return std::nullopt;
    // A client may begin at a revision that does not exist yet. A bookmark would only repeat it.
    if (after_ > store_.Read()->revision()) return std::nullopt;
    return BookmarkAt(after_);
  }

  std::string_view scope() const override {
    return by_node_.has_value() ? by_node_->scope : prefix_;
  }

  void WakeOnChange(std::shared_ptr<Wakeable> watcher) override {
    if (conversions_ != nullptr) conversions_->SetWatcher(watcher);
    Result<WatchHub::Registration> registration =
        by_node_.has_value() ? hub_.AddOnNode(by_node_->scope, by_node_->field, std::move(watcher))
                             : hub_.Add(prefix_, std::move(watcher));
    if (registration.has_value()) {
      registration_ = *std::move(registration);
    } else {
      failure_ = registration.error();
    }
  }

  int64_t timeout_seconds() const override { return timeout_seconds_; }

 private:
  bool IsShownAsBefore() const { return shown_by_ == ShownBy(view_); }

  // A watch ends before it shows what another webhook makes of objects. When the kind goes, what
  // came before is still shown.
  bool HasAnotherWebhook() const {
    const Frozen<api::CustomConversion> now = ShownBy(view_).conversion;
    return now != nullptr && now != shown_by_.conversion;
  }

  // Whether nothing can be shown now: a webhook is being asked, or what it does has changed.
  bool IsHeldUp(std::vector<WatchEvent>& events) {
    if (api::IsCustom(*view_.kind) && HasAnotherWebhook()) return true;
    if (conversions_ == nullptr) return false;
    if (conversions_->is_waiting()) return true;
    const std::optional<Error> failure = conversions_->TakeFailure();
    if (failure.has_value()) End(*failure, events);
    return failure.has_value();
  }

  // Whether the first records of `range` can be shown; else the watcher is woken when they can.
  bool AreConverted(const store::KeyRange& range) {
    if (conversions_ == nullptr) return true;
    std::vector<const store::Record*> records;
    for (const store::Record& record : initial_->Range(range)) {
      if (records.size() == kConvertedPage) break;
      records.push_back(&record);
    }
    return conversions_->AreReady(records);
  }
  bool AreConverted(const store::Batch& batch) {
    if (conversions_ == nullptr) return true;
    std::vector<const store::Record*> records;
    for (const Frozen<store::Event>& event : batch.events) {
      if (event->type == store::Event::Type::kPut) records.push_back(event->record.get());
      if (event->previous != nullptr) records.push_back(event->previous.get());
    }
    return conversions_->AreReady(records);
  }

  // One page of the state the watch begins with.
  void Initial(size_t max, std::vector<WatchEvent>& events) {
    const store::KeyRange range{.prefix = prefix_, .start_key = next_key_};
    has_more_ = AreConverted(range);
    if (!has_more_) return;
    size_t bytes = 0;
    size_t looked_at = 0;
    for (const store::Record& record : initial_->Range(range)) {
      const bool is_end = conversions_ != nullptr && looked_at++ == kConvertedPage;
      if (is_end || events.size() >= std::max<size_t>(max, 1) || bytes > kPageBytes) {
        next_key_ = record.key();
        return;
      }
      bytes += kRecordBytes + record.value->size();
      std::optional<Item> seen = Selected(record);
      if (seen.has_value()) {
        events.push_back({.type = WatchEventType::kAdded, .item = *std::move(seen)});
      }
    }
    initial_ = nullptr;
    if (!announce_end_ || !bookmarks_) return;
    const WatchEvent end = BookmarkAt(after_);
    api::Object marked = end.item.object.Clone();
    marked.mutable_metadata().annotations.emplace(kInitialEventsEnd, "true");
    events.push_back(Bare(std::move(marked)));
  }

  // The next events of the scope; those of other nodes may be left out.
  Result<store::Batch> NextBatch(size_t max) const {
    std::optional<WatchHub::Ahead> ahead;
    if (by_node_.has_value()) ahead = hub_.LookAhead(by_node_->scope, after_);
    if (!ahead.has_value()) return store_.EventsAfter(after_, prefix_, std::max<size_t>(max, 1));
    if (!ahead->next.has_value()) return store::Batch{.events = {}, .through = ahead->through};
    return store_.EventsAfter(Revision(ahead->next->value() - 1), prefix_, 1);
  }

  void Live(size_t max, std::vector<WatchEvent>& events) {
    if (failure_.has_value()) return End(*failure_, events);
    const Result<store::Batch> batch = NextBatch(max);
    if (!batch.has_value()) {
      return End(batch.error().reason == StatusReason::kExpired
                     ? errors::TooOldToWatch(after_, store_.status().floor)
                     : batch.error(),
                 events);
    }
    has_more_ = AreConverted(*batch);
    if (!has_more_) return;
    events.reserve(batch->events.size());
    for (const Frozen<store::Event>& event : batch->events) {
      if (!Show(*event, events)) return;
    }
    has_more_ = batch->through != after_;
    after_ = batch->through;
  }

  // Appends the event that the client sees for `event`, if any; false when the stream has ended.
  bool Show(const store::Event& event, std::vector<WatchEvent>& events) {
    std::optional<Item> now;
    bool was = false;
    if (event.type == store::Event::Type::kPut) now = Selected(*event.record);
    if (event.previous != nullptr) was = WasShown(*event.previous);
    if (now.has_value()) {
      const WatchEventType type = was ? WatchEventType::kModified : WatchEventType::kAdded;
      events.push_back({.type = type, .item = *std::move(now)});
    } else if (was) {
      Result<std::optional<Item>> last = LastOf(event);
      if (!last.has_value()) return Ended(last.error(), events);
      events.push_back({.type = WatchEventType::kDeleted, .item = **std::move(last)});
    }
    return true;
  }

  // The object of `record`, if the selection matches it.
  std::optional<Item> Selected(const store::Record& record) const {
    const storage::ItemRef found = lenient_.Find(view_, record, nullptr, extent_);
    if (found.item == nullptr || !selection_.Matches(found.item->object)) return std::nullopt;
    return *found.item;
  }

  // Whether the client was shown the object of `previous`. A selection of everything does not need
  // the object, so what the store keeps as bytes is not decoded for it.
  bool WasShown(const store::Record& previous) const {
    if (selection_.is_everything() && storage::IsKnownAs(*view_.kind, previous)) return true;
    return Selected(previous).has_value();
  }

  // The object of the previous record under the revision that ended it.
  Result<std::optional<Item>> LastOf(const store::Event& event) const {
    if (extent_ == storage::Extent::kWhole || !storage::IsLarge(*event.previous)) {
      return storage::EndedItemOf(view_, *event.previous, event.revision());
    }
    DRAY_TRY(const storage::ItemRef last, storage::FindMetadata(view_, *event.previous));
    if (last.item == nullptr) return std::nullopt;
    api::Object ended = last.item->object.Clone();
    ended.mutable_metadata().resource_version = std::to_string(event.revision().value());
    return storage::MakeItem(std::move(ended), view_.release);
  }

  WatchEvent BookmarkAt(Revision revision) const {
    api::Object object = api::Object::Make(*view_.kind);
    object.mutable_metadata().resource_version = std::to_string(revision.value());
    SetNoReplicas(object);
    return Bare(std::move(object));
  }

  WatchEvent Bare(api::Object object) const {
    return {.type = WatchEventType::kBookmark,
            .item = storage::MakeItem(std::move(object), view_.release)};
  }

  void End(const Error& error, std::vector<WatchEvent>& events) {
    ended_ = true;
    initial_ = nullptr;
    events.push_back(
        {.type = WatchEventType::kError,
         .item = {},
         .status = std::make_shared<const api::meta_v1::Status>(api::StatusOf(error))});
  }
  bool Ended(const Error& error, std::vector<WatchEvent>& events) {
    End(error, events);
    return false;
  }

  store::Store& store_;
  storage::LenientReader& lenient_;
  WatchHub& hub_;
  const ShareBudget::Claim place_;
  const storage::View view_;
  const ShownBy shown_by_{view_};  // when it began
  const std::string prefix_;
  const std::optional<ByNode> by_node_;
  const Selection selection_;
  const storage::Extent extent_;
  const bool bookmarks_;
  const int64_t timeout_seconds_;
  const bool announce_end_;

  Frozen<store::Snapshot> initial_;  // set until its objects have been sent
  std::string next_key_;             // of the next object in it
  Revision after_;                   // all events up to here were sent
  bool ended_ = false;
  bool has_more_ = true;
  std::optional<Error> failure_;
  WatchHub::Registration registration_;
  std::unique_ptr<WatchedConversions> conversions_;  // null: no webhook converts the objects
};

Result<WatchPlan> PlanWatch(const ListOptions& options, Revision newest) {
  const Result<std::optional<uint64_t>> parsed = ParseVersion(options.resource_version);
  if (!parsed.has_value()) {
    return Fail(errors::Untyped(fmt::format("resourceVersion: Invalid value: {}: {}",
                                            errors::Quoted(options.resource_version),
                                            parsed.error().message)));
  }
  const uint64_t version = parsed->value_or(0);
  WatchPlan plan;
  if (options.send_initial_events.value_or(false)) {
    if (version > static_cast<uint64_t>(newest.value())) {
      return Fail(errors::TooLargeVersion(version, newest));
    }
    plan.initial = true;
    plan.announce_end = true;
  } else if (version == 0) {
    plan.initial = !options.send_initial_events.has_value();
    plan.after = newest;
  } else {
    constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    plan.after = Revision(static_cast<int64_t>(std::min(version, kMax)));
  }
  return plan;
}

}  // namespace

Result<std::unique_ptr<WatchCursor>> OpenWatch(const Core& core,
                                               WatchHub& hub,
                                               const ResourceRequest& request) {
  DRAY_TRY_VOID(CheckWatchOptions(request.list, request.release));
  DRAY_TRY(Selection selection, Selection::Parse(*request.kind, request.list, request.release));
  DRAY_TRY(ShareBudget::Claim place,
           hub.Claim(request.owner,
                     request.list.label_selector.size() + request.list.field_selector.size()));
  // A watch may begin with any recent state, so it need not wait for the newest one.
  const Frozen<store::Snapshot> snapshot = core.store.Read();
  DRAY_TRY(WatchPlan plan, PlanWatch(request.list, snapshot->revision()));
  plan.start = snapshot;
  const Revision begin(core.watches_begin->load());
  if (!plan.initial && plan.after < begin) plan.failure = errors::TooOldToWatch(plan.after, begin);
  plan.timeout_seconds = StreamSeconds(request.list, core.world.random);
  return std::make_unique<Cursor>(
      core,
      hub,
      Watched{.request = request, .selection = std::move(selection), .place = std::move(place)},
      plan);
}

}  // namespace dray::server::verbs::inline read
