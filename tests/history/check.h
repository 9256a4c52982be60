// SPDX-License-Identifier: Apache-2.0
// Does a history keep what the store promises?
//
// The store gives every write a revision, so the order of writes is known and need not be searched
// for (as Wing and Gong, Lowe, and Porcupine must). The checker
//
//   1. compares revisions with the clock: who was told of a revision was told of it by everybody
//      who asked later (real_time.h);
//   2. lays the writes out along the revisions, key by key, and holds every answer and every event
//      against the state that results (timeline.h, facts.h). Writes whose outcome nobody knows are
//      put where the rest demands them, by search (arrangement.h);
//   3. looks for an order of the operations on each key from their answers alone, which also judges
//      reads that did not say at which revision they were made (key_order.h);
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
