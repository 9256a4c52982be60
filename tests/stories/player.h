// SPDX-License-Identifier: Apache-2.0
// Plays a story against a `dray serve` of its own and writes down what became of it.
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

/// What a step led to, in the form of the story.
struct StepOutcome {
  boost::json::array answers;  // of deeds that were refused: deed, status, reason, message
  std::vector<Write> writes;
  boost::json::object snapshot;  // objects by plural, and events
};

/// Whether the outcome of step `number` is as recorded.
using IsAsRecorded = std::function<bool(size_t number, const StepOutcome& outcome)>;

/// Plays it in a new cluster with its data in `folder`, and waits after each step until nothing has
/// changed for as long as the recording waited; if the outcome is another one then, as long as the
/// longest timer of a controller runs. After the first step that stays different it does not.
///
/// Precondition: CheckStory() has passed it.
///
/// Errors: kBadRequest          it cannot be played: place and reason
///         kServiceUnavailable  `program` does not serve
///         others               the server did not answer a deed: its place
Result<std::vector<StepOutcome>> Play(const boost::json::object& story,
                                      const std::string& program,
                                      const std::string& folder,
                                      const IsAsRecorded& is_as_recorded);

}  // namespace dray::stories
