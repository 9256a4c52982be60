// SPDX-License-Identifier: Apache-2.0
// Plays what real control planes wrote, story by story, several at a time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "tests/vectors/report.h"

namespace dray::stories {

struct StoryOptions {
  std::string program;  // dray
  std::string name;     // only the story of that name, unless empty
  size_t at_once = 6;
};

/// Plays the stories in `files`; others than stories are passed over. A failure names the story and
/// what differs first, with `name` all of it. What Dray does otherwise on purpose is not run.
///
/// Errors: kBadRequest  a file is not JSON; what the disk says about one it cannot read.
Result<vectors::Report> RunStories(Disk& disk,
                                   const std::vector<std::string>& files,
                                   const StoryOptions& options);

}  // namespace dray::stories
