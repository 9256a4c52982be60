// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/read/read.h"

// Get and list. All pages of a list show one snapshot: the continue token names its revision and
// the key at which the next page starts.
#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/share_budget.h"
#include "base/task.h"
#include "base/try.h"
#include "base/worker_pool.h"
#include "server/errors/errors.h"
#include "server/registry/strategy.h"
#include "server/storage/item_group.h"
#include "server/storage/item_list.h"
#include "server/storage/keys.h"
#include "server/storage/list_cache.h"
#include "server/storage/stored_object.h"
#include "server/verbs/context/resource_version.h"
#include "server/verbs/conversion/conversion.h"
#include "server/verbs/read/list_plan.h"
#include "server/verbs/read/selection.h"

namespace dray::server::verbs::inline read {
namespace {

using storage::Item;
using storage::ItemList;
using storage::ItemRef;

// Shorter lists are not cached in groups.
constexpr size_t kGroupedRecordsMin = 256;
// A write invalidates one group, whose text is built again: about 200 KiB of claims.
constexpr size_t kGroupRecordsMax = 512;

// Work is counted in bytes of records read. Each record counts at least this much.
constexpr size_t kRecordWork = 256;
// After this much work, the request yields its worker to waiting requests: some ten milliseconds if
// every record must be decoded.
constexpr size_t kSliceWork = size_t{1} << 20;
// A page with a limit ends after this much work: the API allows pages shorter than the limit.
constexpr size_t kPageWork = size_t{64} << 20;

// One page of the objects that match, and how it ended.
struct Page {
  ItemList items;
  std::vector<std::string> left_out;      // why records could not be read
  std::optional<std::string> next_start;  // the first key of the next page, if there is one
  size_t left = 0;                        // records from next_start on
};

// Yields the thread to other requests if it is a worker. Errors: kTimeout  the client no longer
// waits for the answer.
Task<> TakeTurns(const Call* call) {
  WorkerPool* const workers = call->core->options.workers;
  if (workers != nullptr && workers->in_pool()) {
    co_await FromCallback<bool>([&](auto go_on) {
      const std::string_view line = LineOf(call->request->owner);
      if (!workers->TryPost([go_on]() mutable { go_on(true); }, line)) go_on(false);
    });
  }
  const std::atomic<bool>* const is_given_up = call->request->is_given_up;
  if (is_given_up != nullptr && *is_given_up) {
    co_return Fail(StatusReason::kTimeout, "the client does not wait any more");
  }
  co_return {};
}

// The memory of objects that were decoded only for one answer.
class DecodedForAnswer {
 public:
  explicit DecodedForAnswer(const Call& call)
      : claim_(std::make_shared<ShareBudget::Claim>(call.core->decoded, call.request->owner)) {}

  size_t bytes() const { return claim_->amount(); }
  /// Counts `found`; false when the owner of the request has no budget left.
  bool Add(const ItemRef& found) {
    const size_t more = found.owner == nullptr ? 0 : found.owner->transient_bytes();
    return more == 0 || claim_->Resize(claim_->amount() + more);
  }
  /// Holds the claim as long as `items` live.
  void HandTo(ItemList& items) const {
    if (claim_->amount() > 0) items.Hold(claim_);
  }

 private:
  const std::shared_ptr<ShareBudget::Claim> claim_;
};

// Reads a page in slices; between two slices the thread is free.
class PageReader {
 public:
  PageReader(const Call& call,
             Frozen<store::Snapshot> snapshot,
             const store::KeyRange& range,
             int64_t limit,
             const Selection& selection)
      : call_(call),
        snapshot_(std::move(snapshot)),
        prefix_(range.prefix),
        next_key_(range.start_key),
        limit_(limit <= 0 ? 0 : static_cast<size_t>(limit)),
        selection_(selection),
        takes_all_(selection.is_everything()),
        extent_(takes_all_ ? call.request->extent : storage::Extent::kWhole),
        left_(snapshot_->Count(range)),
        decoded_(call) {
    if (takes_all_) page_.items.Reserve(limit_ == 0 ? left_ : std::min(left_, limit_));
  }

  /// Reads a slice; false once the page is complete.
  bool Read() {
    size_t work = 0;
    for (const store::Record& record :
         snapshot_->Range({.prefix = prefix_, .start_key = next_key_})) {
      if (work >= kSliceWork) {
        next_key_ = record.key();
        return true;
      }
      work += Look(record);
      if (!has_room_) {
        page_.next_start = std::string(record.key());  // it is the first of the next page
        break;
      }
      if (!IsFull()) continue;
      if (left_ > 0) page_.next_start = std::string(record.key()) + '\0';
      break;
    }
    page_.left = left_;
    return false;
  }

  Result<Page> Take() && {
    const bool is_cut = !has_room_ && (limit_ == 0 || page_.items.empty());
    if (is_cut) return Fail(errors::TooManyRequests());
    decoded_.HandTo(page_.items);
    return std::move(page_);
  }

 private:
  size_t Look(const store::Record& record) {
    const size_t work = kRecordWork + record.value->size();
    work_ += work;
    --left_;
    ItemRef found = call_.core->lenient->Find(call_.view(), record, &page_.left_out, extent_);
    const bool is_shown =
        found.item != nullptr && (takes_all_ || selection_.Matches(found.item->object));
    if (!is_shown) return work;
    has_room_ = decoded_.Add(found);
    if (has_room_) {
      page_.items.Add(std::move(found));
    } else {
      ++left_;
    }
    return work;
  }

  bool IsFull() const {
    if (limit_ == 0) return false;
    return page_.items.size() >= limit_ || (!takes_all_ && work_ >= kPageWork) ||
           decoded_.bytes() >= kPageWork;
  }

  const Call& call_;
  const Frozen<store::Snapshot> snapshot_;
  const std::string prefix_;
  std::string next_key_;
  const size_t limit_;
  const Selection& selection_;
  const bool takes_all_;
  const storage::Extent extent_;
  size_t left_;
  size_t work_ = 0;
  DecodedForAnswer decoded_;
  bool has_room_ = true;
  Page page_;
};

Task<Page> ReadPage(const Call* call,
                    Frozen<store::Snapshot> snapshot,
                    store::KeyRange range,
                    int64_t limit,
                    const Selection* selection) {
  PageReader reader(*call, std::move(snapshot), range, limit, *selection);
  while (reader.Read()) DRAY_CO_TRY_VOID(co_await TakeTurns(call));
  co_return std::move(reader).Take();
}

// Reads the items of `records` into `read`; false when the owner of the request has no budget left.
bool ReadRecords(const Call& call,
                 const store::Tree::Group& records,
                 DecodedForAnswer* decoded,
                 std::vector<ItemRef>* read,
                 std::vector<std::string>* left_out) {
  read->reserve(records.records);
  for (const store::Record& record : store::RecordRange(records.first, records.records)) {
    ItemRef found = call.core->lenient->Find(call.view(), record, left_out);
    if (found.item == nullptr) continue;
    if (!decoded->Add(found)) return false;
    read->push_back(std::move(found));
  }
  return true;
}

// Reads the whole collection below `prefix` in groups; unchanged groups come from the cache.
Task<Page> ReadGroups(const Call* caller, Frozen<store::Snapshot> snapshot, std::string prefix) {
  const Call& call = *caller;
  storage::ListCache& cache = *call.core->lists;
  const storage::ListCache::Begun begun = cache.Begin(call.view(), prefix, call.now());
  Page page;
  ItemList::Groups groups;
  std::vector<ItemRef> read;
  storage::ListCache::Kept kept;
  DecodedForAnswer decoded(call);
  for (store::Tree::Group& records : snapshot->Groups({.prefix = prefix}, kGroupRecordsMax)) {
    std::shared_ptr<const storage::ItemGroup> group = begun.Find(records.page.get());
    if (group == nullptr) {
      const size_t left_out = page.left_out.size();
      const size_t before = decoded.bytes();
      const size_t first = read.size();
      if (!ReadRecords(call, records, &decoded, &read, &page.left_out)) {
        co_return Fail(errors::TooManyRequests());
      }
      // Do not cache the group: its warnings must be repeated, or its objects must be counted.
      if (page.left_out.size() > left_out || decoded.bytes() > before) records.page = nullptr;
      group = std::make_shared<const storage::ItemGroup>(
          call.view(), std::move(records), read.size() - first, begun.budget);
      DRAY_CO_TRY_VOID(co_await TakeTurns(caller));
    }
    if (group->page() != nullptr) kept.emplace(group->page(), group);
    groups.push_back(std::move(group));
  }
  if (begun.budget != nullptr) cache.Keep(call.view(), prefix, std::move(kept));
  page.items = ItemList(snapshot, std::move(groups));
  for (ItemRef& found : read) page.items.HoldRead(std::move(found));
  decoded.HandTo(page.items);
  co_return page;
}

// The only key that can match, when the selector names one: clients wait for single objects with
// such selectors.
std::optional<std::string> OnlyKey(const api::KindInfo& kind,
                                   std::string_view namespace_,
                                   const Selection& selection) {
  const std::optional<std::string_view> name = selection.fields.RequiredValue("metadata.name");
  if (!name.has_value() || name->empty()) return std::nullopt;
  if (kind.namespaced && namespace_.empty()) return std::nullopt;
  return storage::ObjectKey(kind, namespace_, *name);
}

Page ReadOnly(const Call& call,
              const Frozen<store::Snapshot>& snapshot,
              const std::string& key,
              const Selection& selection) {
  Page page;
  const store::Record* record = snapshot->Find(key);
  if (record == nullptr) return page;
  ItemRef found = call.core->lenient->Find(call.view(), *record, &page.left_out);
  if (found.item != nullptr && selection.Matches(found.item->object)) {
    page.items.Add(std::move(found));
  }
  return page;
}

}  // namespace

Task<Outcome> Get(Call call) {
  const Result<std::optional<uint64_t>> version = ParseVersion(call.request->list.resource_version);
  if (!version.has_value()) {
    co_return Fail(errors::Untyped(fmt::format("resourceVersion: Invalid value: {}: {}",
                                               errors::Quoted(call.request->list.resource_version),
                                               version.error().message)));
  }
  DRAY_CO_TRY(const Frozen<store::Snapshot> snapshot, co_await call.session->ReadNewest());
  const auto newest = static_cast<uint64_t>(snapshot->revision().value());
  const uint64_t wanted = version->value_or(0);
  if (wanted > newest) {
    co_return Fail(errors::TooLargeVersion(wanted, snapshot->revision()));
  }
  const store::Record* record = snapshot->Find(call.key());
  if (record == nullptr) co_return Fail(errors::NotFound(call.kind(), call.request->name));
  DRAY_CO_TRY(const Prepared prepared, co_await PrepareShown(call, *record));
  DRAY_CO_TRY(std::optional<Item> item, ItemAskedFor(call, call.view(), *record));
  if (!item.has_value()) co_return Fail(errors::NotFound(call.kind(), call.request->name));
  co_return ObjectAnswer{.code = 200, .item = *std::move(item)};
}

Task<Outcome> List(Call call) {
  const Core& core = *call.core;
  const api::KindInfo& kind = call.kind();
  const ListOptions& options = call.request->list;
  const std::string& namespace_ = call.request->namespace_;
  DRAY_CO_TRY(const Selection selection, Selection::Parse(kind, options, call.request->release));
  DRAY_CO_TRY(const ListPlan plan, PlanList(options, call.request->release));
  if (!plan.store.empty() && plan.store != core.store_id) {
    co_return Fail(errors::TokenOfAnotherStore(plan.store, core.store_id));
  }
  DRAY_CO_TRY(Frozen<store::Snapshot> snapshot, co_await call.session->ReadNewest());
  const Revision newest = snapshot->revision();
  if (plan.version > static_cast<uint64_t>(newest.value())) {
    co_return Fail(errors::TooLargeVersion(plan.version, newest));
  }
  const std::string prefix = storage::CollectionPrefix(call.hub(), namespace_);
  if (plan.exactly) {
    const Revision wanted(static_cast<int64_t>(plan.version));
    Result<Frozen<store::Snapshot>> older = core.store.ReadAt(wanted);
    if (!older.has_value() || wanted.value() < core.states_begin->load()) {
      if (plan.start.empty()) co_return Fail(errors::TooOldToList());
      co_return Fail(errors::TooOldToContinue(EncodeContinue(
          {.revision = kInconsistent, .start = plan.start, .store = core.store_id})));
    }
    snapshot = *std::move(older);
  }
  ListAnswer answer{.kind = &kind, .resource_version = {}};
  if (registry::StrategyOf(kind).is_stored) {
    answer.resource_version = std::to_string(snapshot->revision().value());
  }
  const std::string start_key = plan.start.empty() ? prefix : prefix + plan.start;
  const bool by_webhook = MayNeedWebhook(kind);
  Prepared prepared;
  if (by_webhook) {
    const bool is_page = plan.limit > 0 && selection.is_everything();
    const size_t most = is_page ? static_cast<size_t>(plan.limit) : snapshot->size();
    const KeyPlace place(prefix, start_key);
    DRAY_CO_TRY(prepared, co_await PrepareRange(AskerOf(call), call.view(), snapshot, place, most));
  }
  if (const std::optional<std::string> only = OnlyKey(call.hub(), namespace_, selection);
      only.has_value()) {
    Page page = ReadOnly(call, snapshot, *only, selection);
    WarnLeftOut(call, page.left_out);
    answer.items = std::move(page.items);
    co_return answer;
  }
  const size_t records = plan.start.empty() ? snapshot->Count({.prefix = prefix}) : 0;
  const bool is_whole = plan.limit <= 0 || records <= static_cast<size_t>(plan.limit);
  // The texts of groups show whole objects.
  const bool in_groups = selection.is_everything() && is_whole && records >= kGroupedRecordsMin &&
                         !by_webhook && call.request->extent == storage::Extent::kWhole;
  const store::KeyRange range{.prefix = prefix, .start_key = start_key};
  DRAY_CO_TRY(Page page,
              in_groups ? co_await ReadGroups(&call, snapshot, prefix)
                        : co_await ReadPage(&call, snapshot, range, plan.limit, &selection));
  WarnLeftOut(call, page.left_out);
  answer.items = std::move(page.items);
  if (page.next_start.has_value()) {
    answer.continue_token = EncodeContinue({.revision = snapshot->revision().value(),
                                            .start = page.next_start->substr(prefix.size()),
                                            .store = core.store_id});
    if (selection.is_everything()) answer.remaining_item_count = static_cast<int64_t>(page.left);
  }
  co_return answer;
}

}  // namespace dray::server::verbs::inline read
