// SPDX-License-Identifier: Apache-2.0
// Whether a play of a story came out as recorded; what counts is in vectors/stories/README.md,
// "What must match".
#pragma once

#include <span>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "tests/stories/player.h"

namespace dray::stories {

/// "step 2: /pods/worker/spec/nodeName: recorded "node-a", here none"; empty when nothing does.
std::vector<std::string> Differences(const boost::json::object& story,
                                     std::span<const StepOutcome> outcomes);

}  // namespace dray::stories
