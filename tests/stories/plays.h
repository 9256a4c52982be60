// SPDX-License-Identifier: Apache-2.0
// How often a story is replayed before its result counts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace dray::stories {

struct Played {
  std::string not_played;  // why it could not be; empty if it could
  std::string why_not;     // why it was not to be
  std::vector<std::string> differences;
  std::string differed_once;  // the first difference of a replay after which two had none
};

/// The differences of one replay. Errors: kBadRequest, kServiceUnavailable  it could not be
/// replayed. Any other error is a difference: a request had no answer.
using StoryPlay = std::function<Result<std::vector<std::string>>()>;

/// For a story with two possible outcomes: replays it until it equals the recording, a hundred
/// times at most.
Played PlayRace(const StoryPlay& play);

/// For all other stories. One that differs is replayed twice more and fails unless both replays
/// equal the recording: on a busy machine two components rarely act in another order, while a fault
/// differs again.
Played PlayUntilSure(const StoryPlay& play);

}  // namespace dray::stories
