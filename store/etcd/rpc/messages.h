// SPDX-License-Identifier: Apache-2.0
// Requests to etcd and its answers, without gRPC; etcd.proto has their form on the wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/strong.h"
#include "store/etcd/rpc/call_failure.h"

namespace dray::store::etcd::rpc {

template <class T>
using Answer = std::expected<T, CallFailure>;

template <class T>
using Receive = std::move_only_function<void(Answer<T>)>;

struct KeyValue {
  std::string key{};
  std::string value{};
  Revision created{};
  Revision modified{};
  int64_t version = 0;
  int64_t lease = 0;  // 0: none
};

/// Keys from `first` up to, but not including, `end`. An empty `end` means only `first`; a zero
/// byte means all keys from `first` on.
struct KeySpan {
  std::string first{};
  std::string end{};
};

/// All keys that begin with `prefix`.
KeySpan SpanOfPrefix(std::string prefix);

struct RangeQuery {
  KeySpan keys{};
  int64_t limit = 0;             // 0: none
  std::optional<Revision> at{};  // the newest, if absent
  bool keys_only = false;
  bool count_only = false;
};

struct RangeAnswer {
  Revision newest{};  // etcd's newest revision when it answered
  uint64_t cluster_id = 0;
  std::vector<KeyValue> kvs{};
  bool more = false;
  int64_t count = 0;
  size_t bytes = 0;  // on the wire
};

struct TxnQuery {
  struct Condition {
    enum class Of : uint8_t { kModified, kModifiedUntil, kVersion };
    Of of = Of::kModified;
    std::string key{};
    int64_t equals = 0;  // 0: the key is absent. For kModifiedUntil: this revision, an earlier one,
                         // or absent
  };
  struct Write {
    std::string key{};
    std::optional<std::string> value{};  // a deletion, if absent
    int64_t lease = 0;
  };
  std::vector<Condition> conditions{};
  std::vector<Write> writes{};
  /// Keys to read if a condition does not hold.
  std::vector<std::string> otherwise_read{};
};

struct TxnAnswer {
  bool succeeded = false;
  Revision revision{};  // of the transaction; etcd's newest if it changed nothing
  /// If the transaction succeeded, for each write: whether it changed something. Deleting an absent
  /// key does not.
  std::vector<bool> changed{};
  /// If it did not succeed, each key of otherwise_read: null when absent.
  std::vector<std::optional<KeyValue>> read{};
};

struct StatusAnswer {
  uint64_t cluster_id = 0;
  Revision revision{};  // of the member asked, which may lag behind
  std::string version{};
  int64_t file_bytes = 0;
  int64_t file_bytes_in_use = 0;
  bool has_leader = false;
  std::vector<std::string> alarms{};
};

struct LeaseAnswer {
  int64_t id = 0;
  int64_t ttl_seconds = 0;  // as granted; etcd enforces a minimum
};

struct HashAnswer {
  uint32_t hash = 0;
  Revision compacted{};
};

struct WatchQuery {
  KeySpan keys{};
  Revision after{};
};

struct WatchEvent {
  bool is_deletion = false;  // then kv has only the key, and the revision as `modified`
  KeyValue kv{};
  /// The revision that wrote the key's previous value, if etcd still knows it.
  std::optional<Revision> previous_modified{};
};

struct WatchAnswer {
  Revision revision{};  // of the header
  bool created = false;
  bool canceled = false;
  Revision compacted{};  // set if the watch was canceled because of compaction
  std::string cancel_reason{};
  bool fragment = false;  // more of the same answer follows
  std::vector<WatchEvent> events{};
};

}  // namespace dray::store::etcd::rpc
