// SPDX-License-Identifier: Apache-2.0
// Checks whether a history keeps the guarantees of a store.
//
// The store gives every write a revision, so the order of writes is known and need not be searched
// for (as Wing and Gong, Lowe, and Porcupine must). The checker
//
//   1. compares revisions with the clock: once an answer has shown a revision, no later call may
//   get
//      an older one (real_time.h);
//   2. applies the writes in the order of their revisions, key by key, and compares every answer
//   and
//      every event with the resulting state (timeline.h, facts.h). Writes of unknown outcome are
//      placed by search where the other facts demand them (arrangement.h);
//   3. looks for an order of the operations on each key from their answers alone, which also judges
//      reads whose answers name no revision (key_order.h): first one in which writes of unknown
//      outcome stand where the arrangement has them, so that few choices are left;
//   4. follows each watch along the writes (watch_rules.h).
//
// Works on values; no threads, no clock. The cost is that of sorting, times the number of keys for
// lists, unless outcomes are unknown; then Limits hold.
#pragma once

#include "tests/history/finding.h"
#include "tests/history/history.h"

namespace dray::history {

Report Check(const History& history, const Limits& limits = {});

}  // namespace dray::history
