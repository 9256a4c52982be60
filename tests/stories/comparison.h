// SPDX-License-Identifier: Apache-2.0
// Whether a play of a story came out as recorded; what counts is in vectors/stories/README.md,
// "What must match".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "tests/stories/player.h"

namespace dray::stories {

/// Of one step. "step 2: /pods/worker/spec/nodeName: recorded "node-a", here none"; empty when
/// nothing does.
std::vector<std::string> Differences(const boost::json::object& story,
                                     size_t number,
                                     const StepOutcome& outcome);

}  // namespace dray::stories
