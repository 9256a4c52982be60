// SPDX-License-Identifier: Apache-2.0
#include "server/storage/transactions.h"

#include <utility>

namespace dray::server::storage {
namespace {

bool Expires(const api::KindInfo& kind) {
  return kind.kind == "Event";
}

}  // namespace

Task<store::CommitOutcome> Commit(store::Store* store, store::Txn txn) {
  auto start = [store, &txn](auto done) { store->Commit(std::move(txn), std::move(done)); };
  co_return co_await FromCallback<Result<store::CommitOutcome>>(std::move(start));
}

Task<Frozen<store::Snapshot>> ReadNewest(store::Store* store) {
  auto start = [store](auto done) { store->Sync(std::move(done)); };
  const Result<Revision> synced = co_await FromCallback<Result<Revision>>(std::move(start));
  if (!synced.has_value()) co_return Fail(synced.error());
  co_return store->Read();
}

store::Put PutOf(std::string key, Frozen<StoredObject> stored, WallTime event_end) {
  const api::KindInfo& kind = stored->kind();
  store::Put put{.key = std::move(key), .value = ValueOf(std::move(stored))};
  if (Expires(kind)) put.expiry = event_end;
  return put;
}

}  // namespace dray::server::storage
