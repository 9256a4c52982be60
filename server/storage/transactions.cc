// SPDX-License-Identifier: Apache-2.0
#include "server/storage/transactions.h"

#include <utility>

namespace dray::server::storage {
namespace {

bool Expires(const api::KindInfo& kind) {
  return kind.kind == "Event";
}

}  // namespace

store::Put PutOf(std::string key, Frozen<StoredObject> stored, WallTime event_end) {
  const api::KindInfo& kind = stored->kind();
  store::Put put{.key = std::move(key), .value = ValueOf(std::move(stored))};
  if (Expires(kind)) put.expiry = event_end;
  return put;
}

}  // namespace dray::server::storage
