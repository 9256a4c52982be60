// SPDX-License-Identifier: Apache-2.0
// Revisions and the clock: what was told once is known to everybody who asks later.
#pragma once

#include <string>
#include <vector>

#include "base/strong.h"
#include "tests/history/finding.h"
#include "tests/history/history.h"

namespace dray::history {

/// The greatest revision told before a moment, and who told it.
struct Observed {
  Revision revision{};
  std::string by{};  // "" when it is the first revision of the history
};

/// What had been told when an operation was called.
struct SeenBefore {
  Observed anybody;
  Observed same_server;
};

/// For each operation of `history`, by index. O(n log n).
std::vector<SeenBefore> SeenBeforeCalls(const History& history);

/// Whether `operation`, a Done, changed anything. A deletion whose answer tells no items did.
bool ChangedSomething(const Operation& operation);

/// Revisions that go back although the clock does not, and two writes with one revision.
void CheckRealTime(const History& history,
                   const std::vector<SeenBefore>& told,
                   const Limits& limits,
                   Report& report);

}  // namespace dray::history
