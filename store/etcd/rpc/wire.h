// SPDX-License-Identifier: Apache-2.0
// messages.h to and from the generated messages. Heavy: for the .cc files that call etcd.
#pragma once

#include <cstdint>
#include <string>

#include "etcd.pb.h"
#include "store/etcd/rpc/messages.h"

namespace dray::store::etcd::rpc {

namespace wire = etcdserverpb;

wire::RangeRequest ToWire(const RangeQuery& query);
wire::TxnRequest ToWire(const TxnQuery& query);
wire::WatchRequest ToWire(const WatchQuery& query);

// Moves the texts out of `message`. `writes` and `reads` are the numbers of operations that the
// transaction had in its two branches.
RangeAnswer FromWire(wire::RangeResponse& message);
TxnAnswer FromWire(wire::TxnResponse& message, size_t writes, size_t reads);
WatchAnswer FromWire(wire::WatchResponse& message);
StatusAnswer FromWire(wire::StatusResponse& message);

}  // namespace dray::store::etcd::rpc
