// SPDX-License-Identifier: Apache-2.0
// What a read promises beside the single keys: its revision, its order, its limit and its count.
#pragma once

#include "store/check/arrangement.h"
#include "store/check/finding.h"
#include "store/check/history.h"

namespace dray::store::check {

void CheckReads(const History& history,
                const Arrangement& arrangement,
                const Limits& limits,
                Report& report);

}  // namespace dray::store::check
