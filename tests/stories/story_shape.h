// SPDX-License-Identifier: Apache-2.0
// Checks whether a JSON document is a story that this player can replay.
#pragma once

#include <boost/json.hpp>

#include "base/result.h"

namespace dray::stories {

/// Checks everything that the player and the comparison read without checks of their own.
///
/// Errors: kBadRequest  the place and the error: "/steps/1/do/0/op: unknown deed "jump"".
Result<> CheckStory(const boost::json::value& story);

}  // namespace dray::stories
