// SPDX-License-Identifier: Apache-2.0
// Whether a history can be a recording at all. Others are not checked any further.
#pragma once

#include "tests/history/finding.h"
#include "tests/history/history.h"

namespace dray::history {

/// Moments that are used twice or go back, answers that answer something else.
void CheckWellFormed(const History& history, const Limits& limits, Report& report);

}  // namespace dray::history
