// SPDX-License-Identifier: Apache-2.0
// The guarantees of a watch about the sequence of its events.
//
// The contents of each event are checked with all other facts (facts.h).
#pragma once

#include "base/strong.h"
#include "tests/history/arrangement.h"
#include "tests/history/finding.h"
#include "tests/history/history.h"

namespace dray::history {

/// The revision up to which the watch claims to be complete: its last event or bookmark.
Revision CompleteThrough(const Watch& watch);

/// Rules that do not depend on the writes: filtered, ordered, unique, atomic, resumable (no event
/// from before the start), bookmarkable (no event from before a bookmark), and previous values are
/// present if the watch has them.
void CheckSequence(const Watch& watch, const Limits& limits, Report& report);

/// Rules that compare with the writes: no event is missing between the start, the events and the
/// bookmarks, and the events of one revision are in the order of its write.
void CheckCompleteness(const Watch& watch,
                       const Arrangement& arrangement,
                       const Limits& limits,
                       Report& report);

}  // namespace dray::history
