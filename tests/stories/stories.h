// SPDX-License-Identifier: Apache-2.0
// Replays stories recorded with real control planes, several at a time.
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
  std::string races = {};   // a file: "name: the programs of which either may be first", a line for
                            // each story with two ends
  size_t at_once = 12;      // they wait for the most part
};

/// The story files in all given folders, and the given files. Errors: those of the disk for a
/// folder that cannot be listed.
Result<std::vector<std::string>> StoryFilesIn(Disk& disk, const std::vector<std::string>& paths);

/// Replays the stories in `files`: one in each, or one in each line of a .jsonl as its member
/// "story". Skips a file with a JSON list, which is an index. A failure names the story and the
/// first difference, with `name` all of them. `not_played` gets stories that cannot be read or
/// replayed, with file and place; the run continues.
///
/// Races are stories whose recording depends on which of two programs was first. `races` lists
/// them, and so does a file races.txt beside the stories. A race is replayed up to ten times, and
/// passes if one replay is equal. The summary lists names without a story.
///
/// Errors: kBadRequest  no story, or a list has a line without a name; the disk's error for a
///                      list it cannot read.
Result<vectors::Report> RunStories(Disk& disk,
                                   const std::vector<std::string>& files,
                                   const StoryOptions& options);

}  // namespace dray::stories
