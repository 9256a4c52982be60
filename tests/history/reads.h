// SPDX-License-Identifier: Apache-2.0
// The guarantees of a read besides those about single keys: its revision, its order, its limit and
// its count.
#pragma once

#include "tests/history/arrangement.h"
#include "tests/history/finding.h"
#include "tests/history/history.h"

namespace dray::history {

void CheckReads(const History& history,
                const Arrangement& arrangement,
                const Limits& limits,
                Report& report);

}  // namespace dray::history
