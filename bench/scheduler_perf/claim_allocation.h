// SPDX-License-Identifier: Apache-2.0
// Claims that are allocated without pods: how scheduler_perf fills a cluster.
#pragma once

#include <string>

#include "base/result.h"
#include "bench/scheduler_perf/workloads.h"
#include "client/client.h"

namespace dray::bench {

/// Gives devices to all claims of `namespace_` that have none, each on another node, in an order of
/// nodes that looks random and is the same in each run. Errors: those of requests, and kInvalid
/// when no node has devices for a claim.
Result<> AllocateClaims(client::Client& client, const std::string& namespace_, const Gates& gates);

}  // namespace dray::bench
