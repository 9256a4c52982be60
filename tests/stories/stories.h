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

/// The files with stories in all folders named, and the files named.
/// Errors: what the disk says about a folder it cannot list.
Result<std::vector<std::string>> StoryFilesIn(Disk& disk, const std::vector<std::string>& paths);

/// Plays the stories in `files`: one in each, or one in each line of a .jsonl as its member
/// "story". A file that holds a JSON list is an index and is passed over. A failure names the story
/// and the first difference, with `name` all of them. What cannot be read or played is in
/// `not_played` with its file and place, and the run goes on.
///
/// Races are the stories that were recorded as they went when one of two programs was first, and
/// that may go either way. `races` lists them, and so does a file races.txt beside the stories. A
/// race is played up to ten times, and is equal if it was so once. Names that no story has are
/// remarked on in the summary.
///
/// Errors: kBadRequest  no story, or a list has a line without a name; what the disk says about a
///                      list it cannot read.
Result<vectors::Report> RunStories(Disk& disk,
                                   const std::vector<std::string>& files,
                                   const StoryOptions& options);

}  // namespace dray::stories
