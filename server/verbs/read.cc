// SPDX-License-Identifier: Apache-2.0
// Get and list. A list is one snapshot, however many pages it takes: the continue token names its
// revision and where the next page starts.
#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "server/errors/errors.h"
#include "server/registry/strategy.h"
#include "server/storage/item_group.h"
#include "server/storage/item_list.h"
#include "server/storage/keys.h"
#include "server/storage/list_cache.h"
#include "server/storage/stored_object.h"
#include "server/storage/transactions.h"
#include "server/verbs/list_plan.h"
#include "server/verbs/resource_version.h"
#include "server/verbs/selection.h"
#include "server/verbs/verbs.h"

namespace dray::server::verbs {
namespace {

using storage::Item;
using storage::ItemList;
using storage::ItemRef;

// Shorter lists are put together anew each time.
constexpr size_t kGroupedRecordsMin = 256;
// A write changes one group, whose text is made again: about 200 KiB of claims.
constexpr size_t kGroupRecordsMax = 512;

// One page of the objects that match, and how it ended.
struct Page {
  ItemList items;
  std::vector<std::string> left_out;      // why records could not be read
  std::optional<std::string> next_start;  // there is more, from this key on
  size_t left = 0;                        // records from there on
};

Page ReadPage(const Call& call,
              const Frozen<store::Snapshot>& snapshot,
              const store::KeyRange& range,
              int64_t limit,
              const Selection& selection) {
  Page page{.items = ItemList(snapshot)};
  size_t left = snapshot->Count(range);
  const bool takes_all = selection.is_everything();
  if (takes_all) {
    page.items.Reserve(limit <= 0 ? left : std::min(left, static_cast<size_t>(limit)));
  }
  for (const store::Record& record : snapshot->Range(range)) {
    ItemRef found = call.core->lenient->Find(call.view(), record, &page.left_out);
    --left;
    if (found.item == nullptr || !(takes_all || selection.Matches(found.item->object))) continue;
    page.items.Add(std::move(found));
    if (limit <= 0 || page.items.size() < static_cast<size_t>(limit)) continue;
    page.left = left;
    if (left > 0) page.next_start = std::string(record.key()) + '\0';
    break;
  }
  return page;
}

std::shared_ptr<const storage::ItemGroup> ReadGroup(const Call& call,
                                                    const store::Tree::Group& records,
                                                    std::shared_ptr<storage::TextBudget> budget,
                                                    std::vector<std::string>* left_out) {
  auto group = std::make_shared<storage::ItemGroup>(records.page, std::move(budget));
  group->Reserve(records.records);
  for (const store::Record& record : store::RecordRange(records.first, records.records)) {
    ItemRef found = call.core->lenient->Find(call.view(), record, left_out);
    if (found.item != nullptr) group->Add(std::move(found));
  }
  return group;
}

// Groups of the whole collection below `prefix`, what others asked for before as it is.
Page ReadGroups(const Call& call,
                const Frozen<store::Snapshot>& snapshot,
                std::string_view prefix) {
  storage::ListCache& cache = *call.core->lists;
  const storage::ListCache::Begun begun = cache.Begin(call.view(), prefix, call.now());
  Page page;
  ItemList::Groups groups;
  storage::ListCache::Kept kept;
  for (store::Tree::Group& records : snapshot->Groups({.prefix = prefix}, kGroupRecordsMax)) {
    std::shared_ptr<const storage::ItemGroup> group = begun.Find(records.page.get());
    if (group == nullptr) {
      const size_t left_out = page.left_out.size();
      group = ReadGroup(call, records, begun.budget, &page.left_out);
      if (page.left_out.size() > left_out) records.page = nullptr;  // to be told again
    }
    if (records.page != nullptr) kept.emplace(records.page.get(), group);
    groups.push_back(std::move(group));
  }
  if (begun.budget != nullptr) cache.Keep(call.view(), prefix, std::move(kept));
  page.items = ItemList(snapshot, std::move(groups));
  return page;
}

// The only key that can match, when the selector names one: clients wait for single objects so.
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
  Page page{.items = ItemList(snapshot)};
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
  const Core& core = *call.core;
  const Result<std::optional<uint64_t>> version = ParseVersion(call.request->list.resource_version);
  if (!version.has_value()) {
    co_return Fail(errors::Untyped(fmt::format("resourceVersion: Invalid value: {}: {}",
                                               errors::Quoted(call.request->list.resource_version),
                                               version.error().message)));
  }
  DRAY_CO_TRY(const Frozen<store::Snapshot> snapshot, co_await storage::ReadNewest(&core.store));
  const auto newest = static_cast<uint64_t>(snapshot->revision().value());
  const uint64_t wanted = version->value_or(0);
  if (wanted > newest) {
    co_return Fail(errors::TooLargeVersion(wanted, snapshot->revision()));
  }
  const store::Record* record = snapshot->Find(call.key());
  if (record == nullptr) co_return Fail(errors::NotFound(call.kind(), call.request->name));
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
  DRAY_CO_TRY(Frozen<store::Snapshot> snapshot, co_await storage::ReadNewest(&core.store));
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
  if (const std::optional<std::string> only = OnlyKey(call.hub(), namespace_, selection);
      only.has_value()) {
    Page page = ReadOnly(call, snapshot, *only, selection);
    WarnLeftOut(call, page.left_out);
    answer.items = std::move(page.items);
    co_return answer;
  }
  const std::string start_key = plan.start.empty() ? prefix : prefix + plan.start;
  const size_t records = plan.start.empty() ? snapshot->Count({.prefix = prefix}) : 0;
  const bool is_whole = plan.limit <= 0 || records <= static_cast<size_t>(plan.limit);
  const bool in_groups = selection.is_everything() && is_whole && records >= kGroupedRecordsMin;
  const store::KeyRange range{.prefix = prefix, .start_key = start_key};
  Page page = in_groups ? ReadGroups(call, snapshot, prefix)
                        : ReadPage(call, snapshot, range, plan.limit, selection);
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

}  // namespace dray::server::verbs
