// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/rpc/wire.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/strong.h"
#include "etcd.pb.h"
#include "store/etcd/rpc/messages.h"

namespace dray::store::etcd::rpc {
namespace {

KeyValue TakeKeyValue(wire::KeyValue& message) {
  return {.key = std::move(*message.mutable_key()),
          .value = std::move(*message.mutable_value()),
          .created = Revision{message.create_revision()},
          .modified = Revision{message.mod_revision()},
          .version = message.version(),
          .lease = message.lease()};
}

void AddCondition(const TxnQuery::Condition& condition, wire::TxnRequest& message) {
  wire::Compare& compare = *message.add_compare();
  compare.set_result(wire::Compare::EQUAL);
  compare.set_key(condition.key);
  switch (condition.of) {
    case TxnQuery::Condition::Of::kModified:
      compare.set_target(wire::Compare::MOD);
      compare.set_mod_revision(condition.equals);
      break;
    case TxnQuery::Condition::Of::kModifiedUntil:
      compare.set_result(wire::Compare::LESS);
      compare.set_target(wire::Compare::MOD);
      compare.set_mod_revision(condition.equals + 1);
      break;
    case TxnQuery::Condition::Of::kVersion:
      compare.set_target(wire::Compare::VERSION);
      compare.set_version(condition.equals);
      break;
  }
}

void AddWrite(const TxnQuery::Write& write, wire::TxnRequest& message) {
  wire::RequestOp& operation = *message.add_success();
  if (!write.value.has_value()) {
    operation.mutable_request_delete_range()->set_key(write.key);
    return;
  }
  wire::PutRequest& put = *operation.mutable_request_put();
  put.set_key(write.key);
  put.set_value(write.value->data(), write.value->size());
  put.set_lease(write.lease);
}

}  // namespace

wire::RangeRequest ToWire(const RangeQuery& query) {
  wire::RangeRequest message;
  message.set_key(query.keys.first);
  message.set_range_end(query.keys.end);
  message.set_limit(query.limit);
  message.set_revision(query.at.value_or(Revision{0}).value());
  message.set_keys_only(query.keys_only);
  message.set_count_only(query.count_only);
  return message;
}

wire::TxnRequest ToWire(const TxnQuery& query) {
  wire::TxnRequest message;
  for (const TxnQuery::Condition& condition : query.conditions) AddCondition(condition, message);
  for (const TxnQuery::Write& write : query.writes) AddWrite(write, message);
  for (const std::string& key : query.otherwise_read) {
    message.add_failure()->mutable_request_range()->set_key(key);
  }
  return message;
}

wire::WatchRequest ToWire(const WatchQuery& query) {
  wire::WatchRequest message;
  wire::WatchCreateRequest& create = *message.mutable_create_request();
  create.set_key(query.keys.first);
  create.set_range_end(query.keys.end);
  create.set_start_revision(query.after.value() + 1);
  create.set_progress_notify(true);
  create.set_prev_kv(true);
  create.set_fragment(true);
  return message;
}

RangeAnswer FromWire(wire::RangeResponse& message) {
  RangeAnswer answer{.newest = Revision{message.header().revision()},
                     .cluster_id = message.header().cluster_id(),
                     .kvs = {},
                     .more = message.more(),
                     .count = message.count(),
                     .bytes = message.ByteSizeLong()};
  answer.kvs.reserve(static_cast<size_t>(message.kvs_size()));
  for (wire::KeyValue& kv : *message.mutable_kvs()) answer.kvs.push_back(TakeKeyValue(kv));
  return answer;
}

TxnAnswer FromWire(wire::TxnResponse& message, size_t writes, size_t reads) {
  TxnAnswer answer{.succeeded = message.succeeded(),
                   .revision = Revision{message.header().revision()},
                   .changed = {},
                   .read = {}};
  for (wire::ResponseOp& response : *message.mutable_responses()) {
    if (answer.succeeded) {
      answer.changed.push_back(!response.has_response_delete_range() ||
                               response.response_delete_range().deleted() > 0);
      continue;
    }
    auto& kvs = *response.mutable_response_range()->mutable_kvs();
    answer.read.push_back(kvs.empty() ? std::nullopt : std::optional(TakeKeyValue(kvs[0])));
  }
  answer.changed.resize(answer.succeeded ? writes : 0);
  answer.read.resize(answer.succeeded ? 0 : reads);
  return answer;
}

WatchAnswer FromWire(wire::WatchResponse& message) {
  WatchAnswer answer{.revision = Revision{message.header().revision()},
                     .created = message.created(),
                     .canceled = message.canceled(),
                     .compacted = Revision{message.compact_revision()},
                     .cancel_reason = std::move(*message.mutable_cancel_reason()),
                     .fragment = message.fragment(),
                     .events = {}};
  answer.events.reserve(static_cast<size_t>(message.events_size()));
  for (wire::Event& event : *message.mutable_events()) {
    const bool has_previous = event.has_prev_kv();
    answer.events.push_back(
        {.is_deletion = event.type() == wire::Event::DELETE,
         .kv = TakeKeyValue(*event.mutable_kv()),
         .previous_modified = has_previous ? std::optional(Revision{event.prev_kv().mod_revision()})
                                           : std::nullopt});
  }
  return answer;
}

StatusAnswer FromWire(wire::StatusResponse& message) {
  return {.cluster_id = message.header().cluster_id(),
          .revision = Revision{message.header().revision()},
          .version = std::move(*message.mutable_version()),
          .file_bytes = message.dbsize(),
          .file_bytes_in_use = message.dbsizeinuse(),
          .has_leader = message.leader() != 0,
          .alarms = {message.errors().begin(), message.errors().end()}};
}

}  // namespace dray::store::etcd::rpc
