// SPDX-License-Identifier: Apache-2.0
// Deletes an object that cannot be decoded, so that it does not stay forever. Finalizers, grace
// period and preconditions are ignored because they cannot be read. Behaviour: upstream's corrupt
// object deleter.
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "api/feature_gates.h"
#include "api/meta_v1/status.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/verbs/conversion/conversion.h"
#include "server/verbs/write/delete_options.h"
#include "server/verbs/write/modify.h"
#include "server/verbs/write/write.h"

namespace dray::server::verbs::inline write {
namespace {

// In the words of upstream's storage; 4 is its code for an unexpected object.
Error IsReadable(const Call& call, const std::string& key) {
  return errors::Conflict(
      call.kind(),
      call.request->name,
      fmt::format("StorageError: invalid object, Code: 4, Key: {}, ResourceVersion: 0, "
                  "AdditionalErrorMsg: unsafe deletion is not allowed because the object is "
                  "decodable from storage",
                  key));
}

// Whether it is a custom object that no version of its kind can show.
bool IsStuck(const Call& call, const store::Record& record) {
  const api::CustomKind* custom = api::CustomOf(call.kind());
  return custom != nullptr && IsOfDroppedVersion(*custom, record);
}

StatusAnswer Done(const Call& call) {
  StatusAnswer answer;
  answer.status.status = "Success";
  answer.status.code = answer.code;
  api::meta_v1::StatusDetails& details = answer.status.details.emplace();
  details.name = call.request->name;
  details.kind = call.kind().kind;
  return answer;
}

}  // namespace

bool IsUnsafeDeletion(const Call& call) {
  return call.request->delete_options.ignore_store_read_error_with_cluster_breaking_potential
             .value_or(false) &&
         call.core->options.rules.Has(api::Gate::kUnsafeDeletion);
}

Task<Outcome> Delete(Call call) {
  return IsUnsafeDeletion(call) ? DeleteUnreadable(call) : DeleteOne(call);
}

Task<Outcome> DeleteUnreadable(Call call) {
  const Core& core = *call.core;
  const std::string key = call.key();
  DRAY_CO_TRY_VOID(CheckDeleteOptions(call.request->delete_options, Deletion::kUnsafe));
  const bool dry_run = call.request->write.dry_run || !call.request->delete_options.dry_run.empty();
  for (int tries = 0; tries < kModifyTriesMax; ++tries) {
    DRAY_CO_TRY(const Frozen<store::Snapshot> snapshot, co_await call.session->ReadNewest());
    const Frozen<store::Record> record = snapshot->Get(key);
    if (record == nullptr) co_return Fail(errors::NotFound(call.kind(), call.request->name));
    const Result<std::optional<storage::Item>> item = storage::ItemOf(call.storage(), *record);
    if (item.has_value() && !IsStuck(call, *record)) {
      co_return Fail(item->has_value() ? IsReadable(call, key)
                                       : errors::NotFound(call.kind(), call.request->name));
    }
    if (dry_run) co_return Done(call);
    store::Txn txn{.compares = {{.key = key, .modified = record->modified}}};
    txn.operations.emplace_back(store::Delete{.key = key});
    DRAY_CO_TRY(const store::CommitOutcome outcome, co_await call.session->Commit(std::move(txn)));
    if (!std::holds_alternative<store::Committed>(outcome)) continue;
    core.log.Warning("object deleted that could not be read",
                     "key",
                     key,
                     "user",
                     call.request->user->name,
                     "reason",
                     item.has_value() ? "its version is gone" : item.error().message);
    co_return Done(call);
  }
  co_return Fail(errors::Modified(call.kind(), call.request->name));
}

}  // namespace dray::server::verbs::inline write
