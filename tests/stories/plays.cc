// SPDX-License-Identifier: Apache-2.0
#include "tests/stories/plays.h"

#include <utility>

namespace dray::stories {
namespace {

constexpr int kRacePlaysMax = 100;  // enough even for an outcome with a chance of one in ten
constexpr int kPlaysAfterDifference = 2;

/// Whether the result is final: the story could not be replayed, or had no difference.
bool PlayInto(Played& played, const StoryPlay& play) {
  played.differences.clear();
  Result<std::vector<std::string>> differences = play();
  if (differences) {
    played.differences = *std::move(differences);
    return played.differences.empty();
  }
  const StatusReason reason = differences.error().reason;
  if (reason == StatusReason::kBadRequest || reason == StatusReason::kServiceUnavailable) {
    played.not_played = differences.error().message;
    return true;
  }
  played.differences = {differences.error().message};
  return false;
}

}  // namespace

Played PlayRace(const StoryPlay& play) {
  Played played;
  for (int i = 0; i < kRacePlaysMax; ++i) {
    if (PlayInto(played, play)) break;
  }
  return played;
}

Played PlayUntilSure(const StoryPlay& play) {
  Played played;
  if (PlayInto(played, play)) return played;
  const std::string first = played.differences.front();
  for (int i = 0; i < kPlaysAfterDifference; ++i) {
    if (!PlayInto(played, play) || !played.not_played.empty()) return played;
  }
  played.differed_once = first;
  return played;
}

}  // namespace dray::stories
