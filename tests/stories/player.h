// SPDX-License-Identifier: Apache-2.0
// Replays a story against a `dray serve` of its own and records the outcome.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "base/result.h"

namespace dray::stories {

/// A change of a pod, claim, taint rule, pool status request or pod group.
struct Write {
  std::string object;  // "Pod/worker"
  std::string what;    // "created", "deleted", "+metadata.finalizers -status.devices"
  bool operator==(const Write&) const = default;
};

/// The outcome of a step, in the form of the story.
struct StepOutcome {
  boost::json::array answers;  // of deeds that were refused: deed, status, reason, message
  std::vector<Write> writes;
  boost::json::object snapshot;  // objects by plural, and events
};

/// Whether the outcome of step `number` is as recorded.
using IsAsRecorded = std::function<bool(size_t number, const StepOutcome& outcome)>;

/// Replays it in a new cluster with its data in `folder`. After each step, waits until nothing has
/// changed for as long as the recording waited. If the outcome differs then, waits as long as the
/// longest timer of a controller runs. After the first step that stays different it no longer does.
///
/// Precondition: CheckStory() has accepted the story.
///
/// Errors: kBadRequest          it cannot be replayed: place and reason
///         kServiceUnavailable  `program` does not serve
///         others               the server did not answer a request of a deed: its place
Result<std::vector<StepOutcome>> Play(const boost::json::object& story,
                                      const std::string& program,
                                      const std::string& folder,
                                      const IsAsRecorded& is_as_recorded);

}  // namespace dray::stories
