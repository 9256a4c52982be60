// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/compaction.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/strong.h"
#include "base/world.h"
#include "store/etcd/messages.h"
#include "store/etcd/mirror.h"

namespace dray::store::etcd {

std::optional<TxnQuery> Compaction::Try(MonotonicTime now) {
  if (interval_ == std::chrono::nanoseconds(0) || now < due_) return std::nullopt;
  due_ = now + interval_;
  const std::string key(kCompactionKey);
  value_ = std::to_string(newest_.value());
  return TxnQuery{
      .conditions = {{.of = TxnQuery::Condition::Of::kVersion, .key = key, .equals = version_}},
      .writes = {{.key = key, .value = value_}},
      .otherwise_read = {key}};
}

std::optional<Revision> Compaction::Next(const TxnAnswer& answer) {
  const Revision before = std::exchange(newest_, answer.revision);
  if (answer.succeeded) {
    ++version_;
    return before == Revision{0} ? std::nullopt : std::optional(before);
  }
  version_ = 0;
  for (const std::optional<KeyValue>& key : answer.read) {
    if (key.has_value()) version_ = key->version;
  }
  return std::nullopt;
}

}  // namespace dray::store::etcd
