// SPDX-License-Identifier: Apache-2.0
// Revisions and the clock: once an answer has shown a revision, no later call gets an older one.
#pragma once

#include <string>
#include <vector>

#include "base/strong.h"
#include "tests/history/finding.h"
#include "tests/history/history.h"

namespace dray::history {

/// The greatest revision that an answer had shown before a moment, and the name of that answer.
struct Observed {
  Revision revision{};
  std::string by{};  // "" when it is the first revision of the history
};

/// The revisions that had been observed when an operation was called.
struct SeenBefore {
  Observed anybody;
  Observed same_server;
};

/// For each operation of `history`, by index. O(n log n).
std::vector<SeenBefore> SeenBeforeCalls(const History& history);

/// Whether `operation`, a Done, changed anything. A deletion whose answer has no items did.
bool ChangedSomething(const Operation& operation);

/// Reports revisions that go back although the clock does not, and two writes with one revision.
void CheckRealTime(const History& history,
                   const std::vector<SeenBefore>& reported,
                   const Limits& limits,
                   Report& report);

}  // namespace dray::history
