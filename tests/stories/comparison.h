// SPDX-License-Identifier: Apache-2.0
// Compares a replay of a story with the recording; vectors/stories/README.md, "What must match",
// lists what counts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "tests/stories/player.h"

namespace dray::stories {

/// The differences of one step: "step 2: /pods/worker/spec/nodeName: recorded "node-a", here none".
/// Empty if there are none.
std::vector<std::string> Differences(const boost::json::object& story,
                                     size_t number,
                                     const StepOutcome& outcome);

}  // namespace dray::stories
