// SPDX-License-Identifier: Apache-2.0
// messages.h to and from the generated messages. Heavy: for the .cc files that call etcd.
#pragma once

#include <cstdint>
#include <string>

#include "etcd.pb.h"
#include "store/etcd/messages.h"

namespace dray::store::etcd {

namespace wire = etcdserverpb;

wire::RangeRequest ToWire(const RangeQuery& query);
wire::TxnRequest ToWire(const TxnQuery& query);
wire::WatchRequest ToWire(const WatchQuery& query);

// These take the texts out of `message`, and leave it to be destroyed. Of a transaction they know
// how many writes, and reads of the other branch, it had.
RangeAnswer FromWire(wire::RangeResponse& message);
TxnAnswer FromWire(wire::TxnResponse& message, size_t writes, size_t reads);
WatchAnswer FromWire(wire::WatchResponse& message);
StatusAnswer FromWire(wire::StatusResponse& message);

}  // namespace dray::store::etcd
