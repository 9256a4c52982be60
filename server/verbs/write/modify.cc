// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/write/modify.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "api/conversion/conversion.h"
#include "api/custom_kind.h"
#include "api/meta_v1/object_meta.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/registry/metadata_rules.h"
#include "server/registry/served_kinds.h"
#include "server/registry/write.h"
#include "server/storage/hub_content.h"
#include "server/storage/stored_object.h"
#include "server/storage/transactions.h"
#include "server/verbs/admission/chain.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/resource_version.h"
#include "server/verbs/context/rights.h"
#include "server/verbs/conversion/conversion.h"
#include "server/verbs/write/lease_condition.h"

namespace dray::server::verbs::inline write {
namespace {

using storage::Item;

// A resourceVersion in the object makes the write conditional; without one the write replaces any
// stored version.
Result<> CheckVersion(const Call& call,
                      const Modification& modification,
                      const api::Object& next,
                      const Item& current) {
  const std::string& asked = next.metadata().resource_version;
  DRAY_TRY(const std::optional<uint64_t> version, ParseVersion(asked));
  if (version.value_or(0) == 0) {
    if (call.kind().unconditional_update || modification.is_unconditional) return {};
    return Fail(errors::InvalidAs(
        call.kind().group,
        call.kind().plural,
        next.metadata().name,
        {errors::InvalidValue(
            "metadata.resourceVersion", "0", "must be specified for an update")}));
  }
  if (asked == current.object.metadata().resource_version) return {};
  return Fail(errors::Modified(call.kind(), call.request->name));
}

// Whether the object can be deleted once `next` is written: no finalizer and no grace period is
// left.
bool IsFinished(const registry::Strategy& strategy,
                const api::Object& next,
                const api::Object& old) {
  const api::meta_v1::ObjectMeta& meta = next.metadata();
  return old.metadata().deletion_timestamp.has_value() && meta.finalizers.empty() &&
         meta.deletion_grace_period_seconds.value_or(0) == 0 &&
         !(strategy.has_finalizers != nullptr && strategy.has_finalizers(next));
}

// Nothing when the object does not exist, or not in the version of this client.
Result<std::optional<Current>> LookAt(const Call& call, const store::Record* record) {
  if (record == nullptr) return std::nullopt;
  DRAY_TRY(std::optional<Item> stored, ItemAskedFor(call, call.worked_on(), *record));
  DRAY_TRY(std::optional<Item> seen, storage::ItemOf(call.view(), *record));
  if (!stored.has_value() || !seen.has_value()) return std::nullopt;
  return Current{.stored = *std::move(stored), .seen = *std::move(seen)};
}

// The object that the client requests in place of the current one, in stored form.
Result<api::Object> RequestedObject(const Call& call,
                                    const Modification& modification,
                                    const Current& current) {
  const api::Object& old = current.stored.object;
  const api::meta_v1::ObjectMeta& old_meta = old.metadata();
  DRAY_TRY(api::Object requested, modification.change(current));
  DRAY_TRY_VOID(CheckIdentity(call, requested.metadata()));
  const std::string& uid = requested.metadata().uid;
  if (modification.wrong_uid == WrongUid::kConflict && !uid.empty() && uid != old_meta.uid) {
    return Fail(errors::UidMismatch(call.kind(), old_meta.name, call.key(), uid, old_meta.uid));
  }
  DRAY_TRY_VOID(CheckVersion(call, modification, requested, current.stored));
  registry::DropDuplicateOwners(requested.mutable_metadata(), *call.warnings);
  api::Object next = registry::ForStore(requested, call.request->release, call.now());
  // MergeBack() restores what the client's version cannot show. The hub version hides something
  // only in the few objects with hub content, and in-process clients see the hub itself.
  const bool sees_all =
      call.view().is_storage() &&
      (std::holds_alternative<api::Object>(call.request->body) || !storage::HasHubContent(old));
  if (!sees_all && !api::IsCustom(call.kind())) {
    api::conversion::MergeBack(call.kind(), old, next, call.request->release);
  }
  // A namespace in an object of a kind that has none is passed over.
  next.mutable_metadata().namespace_ = old_meta.namespace_;
  return next;
}

// An object that is to replace `old`.
struct Change {
  api::Object& next;
  const api::Object& old;
  const SeenNamespace& in;
};

// A change as plugins see it. Owns the objects of a subresource that has its own kind (Scale).
struct SeenChange {
  SeenChange(const Call& call,
             const Modification& modification,
             const api::Object& next,
             const api::Object& old) {
    write = {.operation = policies::Operation::kUpdate,
             .object = &next,
             .old_object = &old,
             .subresource = call.request->subresource};
    if (modification.seen_through == nullptr) return;
    part = modification.seen_through(next);
    old_part = modification.seen_through(old);
    write.object = &part;
    write.old_object = &old_part;
    write.kind = &part.kind();
    if (modification.put_back != nullptr) write.part = &part;
  }
  SeenChange(const SeenChange&) = delete;
  SeenChange& operator=(const SeenChange&) = delete;
  ~SeenChange() = default;

  admission::Write write;
  api::Object part, old_part;
};

registry::WriteContext BeginChange(const Call& call,
                                   registry::Subresource subresource,
                                   const Modification& modification,
                                   const Change& change) {
  registry::WriteContext context = WriteContextOf(call, subresource, change.in);
  if (modification.decides_owners) context.owners = registry::Owners::kDecided;
  registry::BeginUpdate(change.next, change.old, context);
  return context;
}

// Plugins before and after the object is completed. A binding is admitted as what it is (bind.cc).
Task<> CompleteChange(const Call* call,
                      registry::WriteContext context,
                      const Modification* modification,
                      Frozen<store::Snapshot> snapshot,
                      Change change) {
  api::Object& next = change.next;
  const api::Object& old = change.old;
  const Core& core = *call->core;
  const bool is_admitted = context.subresource == registry::Subresource::kBinding;
  const WriterRights writer(core.rights.get(), *call->request);
  context.options.caller = writer.caller();
  context.forgiven = call->warnings;
  if (!is_admitted) {
    const SeenChange begun(*call, *modification, next, old);
    const api::Object part = begun.part;
    const bool is_whole = modification->seen_through == nullptr;
    DRAY_CO_TRY_VOID(
        co_await admission::Admit(*call, snapshot, begun.write, is_whole ? &next : nullptr));
    if (begun.write.part != nullptr && !(begun.part == part)) {
      DRAY_CO_TRY(next, modification->put_back(next, begun.part));
    }
  }
  DRAY_CO_TRY_VOID(CheckWriter(core.rights.get(), *call->request, next, &old));
  const registry::Strategy& strategy = registry::StrategyOf(call->kind());
  DRAY_CO_TRY(registry::Warnings warnings, registry::BeforeUpdate(strategy, next, old, context));
  std::ranges::move(warnings, std::back_inserter(*call->warnings));
  if (is_admitted) co_return {};
  const SeenChange completed(*call, *modification, next, old);
  co_return co_await admission::Validate(*call, snapshot, completed.write);
}

// `next` as it is to be stored.
Soon<Frozen<storage::StoredObject>> StoredOf(const Call& call, const api::Object& next) {
  api::Object bare = next.Clone();
  bare.mutable_metadata().resource_version.clear();
  return StoredFor(call, std::move(bare));
}

// Whether a webhook makes `there`, which is stored, of `next`.
Task<bool> IsStoredAsConverted(const Call* call, api::Object next, api::Object there) {
  DRAY_CO_TRY(const Frozen<storage::StoredObject> wanted, co_await StoredOf(*call, next));
  co_return wanted->HasContentOf(there);
}

// Whether `next`, which is what a client of the call's version reads, is also what is stored. An
// object of a custom kind may be stored in another version, or without defaults that it has now:
// writing it as it is read stores it anew.
Soon<bool> IsStoredSo(const Call& call, const api::Object& next, const store::Record& record) {
  if (!api::IsCustom(next.kind())) return Result<bool>(true);
  const Result<std::optional<Item>> stored = storage::ItemOf(call.storage(), record);
  if (!stored.has_value() || !stored->has_value()) return Result<bool>(false);
  if (MayNeedWebhook(next.kind())) return IsStoredAsConverted(&call, next, (*stored)->object);
  return Result<bool>((*stored)->object == api::ForStorage(next));
}

// The answer with `next` as if it were written: of a dry run, or of an object that goes for want of
// finalizers.
Task<ObjectAnswer> Unwritten(const Call* call,
                             const api::Object* next,
                             const store::Record* record) {
  DRAY_CO_TRY(const Frozen<storage::StoredObject> shown, co_await StoredOf(*call, *next));
  co_return ObjectAnswer{.code = 200, .item = shown->At(call->view(), record->modified)};
}

}  // namespace

Result<> CheckIdentity(const Call& call, const api::meta_v1::ObjectMeta& meta) {
  const ResourceRequest& request = *call.request;
  if (meta.name.empty()) {
    return Fail(errors::BadRequest(fmt::format(
        "the name of the object ({} based on URL) was undeterminable: name must be provided",
        request.name)));
  }
  if (meta.name != request.name) {
    return Fail(errors::BadRequest(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})",
                    meta.name,
                    request.name)));
  }
  if (call.kind().namespaced && !meta.namespace_.empty() && meta.namespace_ != request.namespace_) {
    if (api::IsCustom(call.kind())) {
      return Fail(errors::BadRequest(
          "the namespace of the provided object does not match the namespace sent on the request"));
    }
    return Fail(errors::BadRequest(
        fmt::format("the namespace of the object ({}) does not match the namespace on the URL ({})",
                    meta.namespace_,
                    request.namespace_)));
  }
  return {};
}

Result<registry::Subresource> SubresourceOf(const Call& call) {
  const std::string& name = call.request->subresource;
  if (name.empty()) return registry::Subresource::kNone;
  struct Part {
    std::string_view name;
    registry::Subresource part;
  };
  constexpr Part kParts[] = {
      {.name = "status", .part = registry::Subresource::kStatus},
      {.name = "finalize", .part = registry::Subresource::kFinalize},
      {.name = "ephemeralcontainers", .part = registry::Subresource::kEphemeralContainers},
      {.name = "approval", .part = registry::Subresource::kApproval},
      {.name = "resize", .part = registry::Subresource::kResize},
  };
  const auto* const found = std::ranges::find(kParts, name, &Part::name);
  if (found != std::end(kParts) &&
      registry::HasSubresource(call.kind(), name, call.request->release)) {
    return found->part;
  }
  return Fail(Error{.reason = StatusReason::kNotFound,
                    .message = "the server could not find the requested resource"});
}

Task<ObjectAnswer> Modify(Call call,
                          registry::Subresource subresource,
                          const Modification* modification) {
  const Core& core = *call.core;
  const api::KindInfo& kind = call.kind();
  const std::string key = call.key();
  const size_t warnings_before = call.warnings->size();
  storage::Freshness freshness = storage::Freshness::kNow;
  for (int tries = 0; tries < kModifyTriesMax; ++tries) {
    call.warnings->resize(warnings_before);  // drops those of the failed round
    DRAY_CO_TRY(const Frozen<store::Snapshot> snapshot, co_await call.session->ReadNewest());
    const Frozen<store::Record> record = snapshot->Get(key);
    DRAY_CO_TRY(const Prepared prepared, co_await PrepareRecord(call, record.get(), freshness));
    DRAY_CO_TRY(const std::optional<Current> found, LookAt(call, record.get()));
    if (!found.has_value()) co_return Fail(errors::NotFound(kind, call.request->name));
    const Current& current = *found;
    DRAY_CO_TRY(const SeenNamespace seen, NamespaceOf(*snapshot, kind, call.request->namespace_));
    const api::Object& old = current.stored.object;
    Result<api::Object> requested = RequestedObject(call, *modification, current);
    freshness = storage::Freshness::kKept;  // for runs with what was fetched
    DRAY_CO_TRY(bool is_again, co_await FetchConversions(&call));
    if (is_again) continue;
    DRAY_CO_TRY(api::Object next, std::move(requested));
    const Change change{.next = next, .old = old, .in = seen};
    const registry::WriteContext begun = BeginChange(call, subresource, *modification, change);
    DRAY_CO_TRY(is_again, co_await FetchConversions(&call));
    if (is_again) continue;
    DRAY_CO_TRY_VOID(co_await CompleteChange(&call, begun, modification, snapshot, change));
    next.mutable_metadata().resource_version = old.metadata().resource_version;
    store::Txn txn{.compares = {{.key = key, .modified = record->modified}}};
    const bool finished = IsFinished(registry::StrategyOf(kind), next, old);
    if (!finished && registry::ChangesNothing(next, old)) {
      DRAY_CO_TRY(const bool is_stored_so, co_await IsStoredSo(call, next, *record));
      if (is_stored_so) co_return ObjectAnswer{.code = 200, .item = current.seen};
    }
    DRAY_CO_TRY_VOID(AddLeaseCondition(call, *snapshot, txn));
    if (!finished && core.allocations != nullptr) {
      DRAY_CO_TRY(txn.fences, core.allocations->FencesFor(old, next));
    }
    if (call.request->write.dry_run) co_return co_await Unwritten(&call, &next, record.get());
    ObjectAnswer answer;
    Frozen<storage::StoredObject> stored;
    if (finished) {
      DRAY_CO_TRY(answer, co_await Unwritten(&call, &next, record.get()));
      txn.operations.emplace_back(store::Delete{.key = key});
    } else {
      next.mutable_metadata().resource_version.clear();
      DRAY_CO_TRY(stored, co_await StoredFor(call, std::move(next)));
      txn.operations.emplace_back(storage::PutOf(key, stored, core.event_end()));
    }
    DRAY_CO_TRY(const store::CommitOutcome outcome, co_await call.session->Commit(std::move(txn)));
    const auto* committed = std::get_if<store::Committed>(&outcome);
    if (committed == nullptr) continue;
    if (stored != nullptr) answer.item = stored->At(call.view(), committed->revision);
    co_return answer;
  }
  co_return Fail(errors::Modified(kind, call.request->name));
}

}  // namespace dray::server::verbs::inline write
