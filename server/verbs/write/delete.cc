// SPDX-License-Identifier: Apache-2.0
// Delete: an object with finalizers or a grace period is marked for deletion, any other is removed
// at once.
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/meta_v1/object_meta.h"
#include "api/meta_v1/options.h"
#include "api/meta_v1/status.h"
#include "api/pods/priority.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/registry/strategy.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "server/storage/transactions.h"
#include "server/verbs/admission/chain.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/conversion/conversion.h"
#include "server/verbs/tokens/service_accounts.h"
#include "server/verbs/write/delete_options.h"
#include "server/verbs/write/modify.h"
#include "server/verbs/write/write.h"

namespace dray::server::verbs::inline write {
namespace {

using storage::Item;

namespace meta_v1 = api::meta_v1;

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

Result<> CheckPreconditions(const Call& call, const meta_v1::ObjectMeta& meta) {
  const auto& wanted = call.request->delete_options.preconditions;
  if (!wanted.has_value()) return {};
  const api::KindInfo& kind = call.kind();
  if (wanted->uid.has_value() && *wanted->uid != meta.uid) {
    return Fail(
        errors::ConflictOn(kind,
                           kind.kind,
                           meta.name,
                           fmt::format("the UID in the precondition ({}) does not match the UID in "
                                       "record ({}). The object might have been deleted and then "
                                       "recreated",
                                       *wanted->uid,
                                       meta.uid)));
  }
  if (wanted->resource_version.has_value() && *wanted->resource_version != meta.resource_version) {
    return Fail(
        errors::ConflictOn(kind,
                           kind.kind,
                           meta.name,
                           fmt::format("the ResourceVersion in the precondition ({}) does not "
                                       "match the ResourceVersion in record ({}). The object might "
                                       "have been modified",
                                       *wanted->resource_version,
                                       meta.resource_version)));
  }
  return {};
}

// The finalizers of the object after the request: its present ones, with those of the garbage
// collector (foregroundDeletion, orphan) added or removed as the options say.
std::vector<std::string> FinalizersAfter(const meta_v1::DeleteOptions& options,
                                         const meta_v1::ObjectMeta& meta,
                                         registry::DependentsByDefault dependents) {
  const auto has = [&](std::string_view word) {
    return std::ranges::find(meta.finalizers, word) != meta.finalizers.end();
  };
  bool orphan = has(kOrphan);
  bool foreground = has(kForeground);
  if (options.orphan_dependents.has_value()) {
    orphan = *options.orphan_dependents;
    foreground = false;
  } else if (options.propagation_policy.has_value()) {
    orphan = *options.propagation_policy == "Orphan";
    foreground = *options.propagation_policy == "Foreground";
  } else if (!orphan && !foreground) {
    orphan = dependents == registry::DependentsByDefault::kOrphaned;
  }
  if (dependents == registry::DependentsByDefault::kUntouched) orphan = foreground = false;
  std::vector<std::string> finalizers;
  for (const std::string& finalizer : meta.finalizers) {
    if (finalizer == kOrphan ? orphan : (finalizer == kForeground ? foreground : true)) {
      finalizers.push_back(finalizer);
    }
  }
  if (orphan && !has(kOrphan)) finalizers.emplace_back(kOrphan);
  if (foreground && !has(kForeground)) finalizers.emplace_back(kForeground);
  return finalizers;
}

struct Plan {
  enum class Step : uint8_t {
    kRemove,
    kMark,            // set deletionTimestamp and keep the object
    kMarkThenRemove,  // two changes, as upstream's watchers see them
    kNothing,
  };
  Step step = Step::kRemove;
  api::Object marked = {};  // the object that the first change writes
};

// Cuts a grace period so that its end is a time that can be written. Upstream instead computes with
// the value that overflow of 64-bit nanoseconds leaves.
void SetDeletion(api::Object& object, WallTime now, int64_t grace) {
  meta_v1::ObjectMeta& meta = object.mutable_metadata();
  const int64_t begin = api::Time::Of(now).unix_seconds();
  grace = std::min(grace, api::kTimeMaxUnixSeconds - begin);
  meta.deletion_timestamp = api::Time::FromUnixSeconds(begin + grace);
  meta.deletion_grace_period_seconds = grace;
  if (meta.generation > 0) ++meta.generation;
}

Plan Marked(api::Object marked, const std::vector<std::string>& finalizers) {
  const int64_t grace = marked.metadata().deletion_grace_period_seconds.value_or(0);
  const bool remove = grace == 0 && finalizers.empty();
  marked.mutable_metadata().finalizers = finalizers;
  return {.step = remove ? Plan::Step::kMarkThenRemove : Plan::Step::kMark,
          .marked = std::move(marked)};
}

int64_t GraceSeconds(const Call& call, const api::Object& old, std::optional<int64_t> asked) {
  const registry::Strategy& strategy = registry::StrategyOf(call.kind());
  return strategy.grace_seconds == nullptr ? 0 : strategy.grace_seconds(old, asked);
}

// `old` with its grace period shortened to `grace`, counted from the same start. If that end has
// passed, the deletion time is now and a period above 0 becomes 1: the component that stops the
// object (such as the kubelet) sees the change before the object is removed.
api::Object Shortened(const api::Object& old, int64_t grace, WallTime now) {
  const meta_v1::ObjectMeta& meta = old.metadata();
  const int64_t begin =
      meta.deletion_timestamp->unix_seconds() - meta.deletion_grace_period_seconds.value_or(0);
  api::Time end = api::Time::FromUnixSeconds(begin + grace);
  if (end < api::Time::Of(now)) {
    end = api::Time::Of(now);
    grace = std::min<int64_t>(grace, 1);
  }
  api::Object shorter = old.Clone();
  shorter.mutable_metadata().deletion_timestamp = end;
  shorter.mutable_metadata().deletion_grace_period_seconds = grace;
  return shorter;
}

// The first DELETE of a kind with graceful deletion starts the grace period, later ones can only
// shorten it. Nothing when the period is over.
std::optional<Plan> PlanGrace(const Call& call,
                              const api::Object& old,
                              const std::vector<std::string>& finalizers) {
  const meta_v1::ObjectMeta& meta = old.metadata();
  const std::optional<int64_t> asked = call.request->delete_options.grace_period_seconds;
  if (!meta.deletion_timestamp.has_value()) {
    api::Object marked = old.Clone();
    SetDeletion(marked, call.core->world.clock.Now(), GraceSeconds(call, old, asked));
    return Marked(std::move(marked), finalizers);
  }
  const int64_t before = meta.deletion_grace_period_seconds.value_or(0);
  if (before == 0) return std::nullopt;
  const int64_t grace = asked.value_or(before) < 0 ? 1 : asked.value_or(before);
  if (grace >= before) return Plan{.step = Plan::Step::kNothing};
  return Marked(Shortened(old, grace, call.core->world.clock.Now()), finalizers);
}

Plan PlanDeletion(const Call& call, const api::Object& old) {
  const meta_v1::ObjectMeta& meta = old.metadata();
  const registry::Strategy& strategy = registry::StrategyOf(call.kind());
  const std::vector<std::string> finalizers =
      FinalizersAfter(call.request->delete_options, meta, strategy.dependents);
  if (call.kind().graceful_delete) {
    std::optional<Plan> plan = PlanGrace(call, old, finalizers);
    if (plan.has_value()) return *std::move(plan);
  }
  const bool is_held = strategy.has_finalizers != nullptr && strategy.has_finalizers(old);
  if (finalizers.empty() && !is_held) return {.step = Plan::Step::kRemove};
  Plan plan{.step = Plan::Step::kMark, .marked = old.Clone()};
  plan.marked.mutable_metadata().finalizers = finalizers;
  if (!meta.deletion_timestamp.has_value()) {
    SetDeletion(plan.marked, call.core->world.clock.Now(), 0);
  } else {
    plan.marked.mutable_metadata().deletion_grace_period_seconds = 0;
  }
  if (strategy.mark_deleted != nullptr) strategy.mark_deleted(plan.marked);
  if (plan.marked == old) plan.step = Plan::Step::kNothing;
  return plan;
}

Outcome RemovedAnswer(const Call& call, Item item) {
  if (call.kind().delete_answer == api::DeleteAnswer::kObject) {
    return ObjectAnswer{.code = 200, .item = std::move(item)};
  }
  const meta_v1::ObjectMeta& meta = item.object.metadata();
  StatusAnswer answer;
  answer.status.status = "Success";
  meta_v1::StatusDetails& details = answer.status.details.emplace();
  details.name = meta.name;
  details.group = call.kind().group;
  details.kind = call.kind().plural;
  details.uid = meta.uid;
  return answer;
}

// orphanDependents=false (deprecated) gets 202, because the dependents are deleted first.
int CodeOf(const Call& call) {
  return call.request->delete_options.orphan_dependents == false ? 202 : 200;
}

Result<> CheckMayGo(const Call& call) {
  const api::KindInfo& kind = call.kind();
  const std::string& name = call.request->name;
  if (kind.kind == "PriorityClass" && kind.group == "scheduling.k8s.io" &&
      std::ranges::find(api::pods::kSystemPriorities, name, &api::pods::SystemPriority::name) !=
          std::end(api::pods::kSystemPriorities)) {
    return Fail(
        errors::Forbidden(kind, name, "this is a system priority class and cannot be deleted"));
  }
  return {};
}

void WarnOfNoPolicy(const Call& call) {
  const std::string_view text = registry::StrategyOf(call.kind()).no_policy_warning;
  const meta_v1::DeleteOptions& options = call.request->delete_options;
  if (text.empty() || options.propagation_policy || options.orphan_dependents) return;
  std::vector<std::string>& warnings = *call.warnings;
  if (std::ranges::find(warnings, text) == warnings.end()) warnings.emplace_back(text);
}

// Whether the object that this request has marked no longer exists.
bool IsGone(const std::optional<Item>& marked, const std::optional<Item>& current) {
  return marked.has_value() &&
         (!current.has_value() || current->object.metadata().uid != marked->object.metadata().uid);
}

// Whether the object is being deleted and waits for its contents. Another deletion of such a
// namespace changes nothing, and admission plugins are not called.
bool IsGoing(const Call& call, const api::Object& object) {
  const registry::Strategy& strategy = registry::StrategyOf(call.kind());
  return object.metadata().deletion_timestamp.has_value() && strategy.has_finalizers != nullptr &&
         strategy.has_finalizers(object);
}

Task<> AskPlugins(const Call* call, Frozen<store::Snapshot> snapshot, api::Object old) {
  const admission::Write deletion{.operation = policies::Operation::kDelete, .old_object = &old};
  DRAY_CO_TRY_VOID(co_await admission::Admit(*call, snapshot, deletion, nullptr));
  co_return co_await admission::Validate(*call, snapshot, deletion);
}

// Upstream calls the plugins again before it removes an object that it has marked, first with the
// state before that (`before`). `is_marked`: it has.
Task<> AskPluginsInTurn(const Call* call,
                        Frozen<store::Snapshot> snapshot,
                        const api::Object* current,
                        bool is_marked,
                        api::Object* before) {
  if (is_marked) {
    DRAY_CO_TRY_VOID(co_await AskPlugins(call, snapshot, *before));
    co_return co_await AskPlugins(call, snapshot, *current);
  }
  if (!IsGoing(*call, *current)) DRAY_CO_TRY_VOID(co_await AskPlugins(call, snapshot, *current));
  *before = *current;
  co_return {};
}

// What the plan writes in the place of the object; null: it removes the object.
Task<Frozen<storage::StoredObject>> StoredMark(const Call* call, Plan* plan) {
  if (plan->step == Plan::Step::kRemove) co_return nullptr;
  plan->marked.mutable_metadata().resource_version.clear();
  co_return co_await StoredFor(*call, std::move(plan->marked));
}

// Where the server is to pause, clients see the object that was marked before it is removed.
Task<> PauseAfterMark(const Call* call) {
  if (!call->core->options.removal_pause || call->of_collection) co_return {};
  const auto start = [call](auto done) { call->core->options.removal_pause(std::move(done)); };
  DRAY_CO_TRY_VOID(co_await FromCallback<Result<>>(start));
  co_return co_await call->session->ContinueOnWorker();
}

// The answer without the write.
Result<Outcome> DryRunAnswer(const Call& call,
                             const Frozen<storage::StoredObject>& stored,
                             const store::Record& record) {
  if (stored != nullptr)
    return ObjectAnswer{.code = 200, .item = stored->At(call.view(), record.modified)};
  DRAY_TRY(std::optional<Item> seen, storage::ItemOf(call.view(), record));
  return RemovedAnswer(call, *std::move(seen));
}

}  // namespace

Task<Outcome> DeleteOne(Call call) {
  const Core& core = *call.core;
  const api::KindInfo& kind = call.kind();
  const std::string key = call.key();
  DRAY_CO_TRY_VOID(CheckDeleteOptions(call.request->delete_options, Deletion::kUsual));
  DRAY_CO_TRY_VOID(CheckMayGo(call));
  WarnOfNoPolicy(call);
  const size_t warnings_before = call.warnings->size();
  const bool dry_run = call.request->write.dry_run || !call.request->delete_options.dry_run.empty();
  // The object as this request marked it. The preconditions held then. If another client removes
  // the object afterwards, or creates a new one of that name, the request has succeeded.
  std::optional<Item> marked;
  api::Object before;  // the object before it was marked
  for (int tries = 0; tries < kModifyTriesMax; ++tries) {
    DRAY_CO_TRY(const Frozen<store::Snapshot> snapshot, co_await call.session->ReadNewest());
    const Frozen<store::Record> record = snapshot->Get(key);
    std::optional<Item> current;
    DRAY_CO_TRY(const Prepared prepared,
                co_await PrepareRecord(call, record.get(), storage::Freshness::kNow));
    if (record != nullptr) {
      DRAY_CO_TRY(current, ItemAskedFor(call, call.storage(), *record));
    }
    if (IsGone(marked, current)) co_return RemovedAnswer(call, *std::move(marked));
    if (!current.has_value()) co_return Fail(errors::NotFound(kind, call.request->name));
    if (!marked.has_value()) {
      DRAY_CO_TRY_VOID(CheckPreconditions(call, current->object.metadata()));
      call.warnings->resize(warnings_before);  // drops those of the failed round
    }
    DRAY_CO_TRY_VOID(
        co_await AskPluginsInTurn(&call, snapshot, &current->object, marked.has_value(), &before));
    Plan plan = PlanDeletion(call, current->object);
    if (plan.step == Plan::Step::kNothing) {
      DRAY_CO_TRY(std::optional<Item> seen, storage::ItemOf(call.view(), *record));
      co_return ObjectAnswer{.code = CodeOf(call), .item = *std::move(seen)};
    }
    DRAY_CO_TRY(const Frozen<storage::StoredObject> stored, co_await StoredMark(&call, &plan));
    if (dry_run) co_return DryRunAnswer(call, stored, *record);
    store::Txn txn{.compares = {{.key = key, .modified = record->modified}}};
    if (stored != nullptr) {
      txn.operations.emplace_back(storage::PutOf(key, stored, core.event_end()));
    } else {
      txn.operations.emplace_back(store::Delete{.key = key});
    }
    DRAY_CO_TRY(const store::CommitOutcome outcome, co_await call.session->Commit(std::move(txn)));
    const auto* committed = std::get_if<store::Committed>(&outcome);
    if (committed == nullptr) continue;
    if (plan.step == Plan::Step::kMarkThenRemove) {
      marked = stored->At(call.view(), committed->revision);
      DRAY_CO_TRY_VOID(co_await PauseAfterMark(&call));
      continue;
    }
    if (stored != nullptr) {
      co_return ObjectAnswer{.code = CodeOf(call),
                             .item = stored->At(call.view(), committed->revision)};
    }
    DRAY_CO_TRY(std::optional<Item> last,
                storage::EndedItemOf(call.view(), *record, committed->revision));
    // Upstream's controllers recreate it. The next start of the server creates what fails here.
    if (IsForPods(call)) {
      (void)co_await MakeAccount(call.core, call.session, call.request->namespace_);
    }
    co_return RemovedAnswer(call, *std::move(last));
  }
  co_return Fail(errors::Modified(kind, call.request->name));
}

}  // namespace dray::server::verbs::inline write
