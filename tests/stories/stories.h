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
  std::string program = "dray";
  std::string name = {};    // only the story of that name, unless empty
  std::string except = {};  // a file: "name: why", a line for each story that is not played
  std::string races = {};   // a file: "name: who may be first", a line for each story with two ends
  size_t at_once = 12;      // they wait for the most part
};

/// Plays the stories in `files`: one in each, or one in each line of a .jsonl as its member
/// "story"; what is no story is passed over. A failure names the story and what differs first, with
/// `name` all of it. A story of `races` was recorded as it went when one of two programs was first,
/// and may go either way: it is played up to ten times, and is equal if it was so once.
///
/// Errors: kBadRequest  a file is not JSON, or `except` or `races` name no story; what the disk
///                      says about one it cannot read.
Result<vectors::Report> RunStories(Disk& disk,
                                   const std::vector<std::string>& files,
                                   const StoryOptions& options);

}  // namespace dray::stories
