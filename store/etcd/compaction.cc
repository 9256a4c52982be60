// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/compaction.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/strong.h"
#include "base/world.h"
#include "store/etcd/mirror/mirror.h"
#include "store/etcd/rpc/messages.h"

namespace dray::store::etcd {

std::optional<rpc::TxnQuery> Compaction::Try(MonotonicTime now) {
  if (interval_ == std::chrono::nanoseconds(0) || now < due_) return std::nullopt;
  due_ = now + interval_;
  const std::string key(mirror::kCompactionKey);
  value_ = std::to_string(newest_.value());
  return rpc::TxnQuery{.conditions = {{.of = rpc::TxnQuery::Condition::Of::kVersion,
                                       .key = key,
                                       .equals = version_}},
                       .writes = {{.key = key, .value = value_}},
                       .otherwise_read = {key}};
}

std::optional<Revision> Compaction::Next(const rpc::TxnAnswer& answer) {
  const Revision before = std::exchange(newest_, answer.revision);
  if (answer.succeeded) {
    ++version_;
    return before == Revision{0} ? std::nullopt : std::optional(before);
  }
  version_ = 0;
  for (const std::optional<rpc::KeyValue>& key : answer.read) {
    if (key.has_value()) version_ = key->version;
  }
  return std::nullopt;
}

}  // namespace dray::store::etcd
