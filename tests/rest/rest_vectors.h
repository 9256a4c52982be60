// SPDX-License-Identifier: Apache-2.0
// Plays what real API servers answered, scenario by scenario, several at a time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "tests/vectors/report.h"

namespace dray::rest {

struct RestOptions {
  std::string program = "dray";
  std::string name = {};    // only scenarios whose names, such as generic-1.37/pods, begin so
  std::string except = {};  // a file: "name: why", a line for each scenario that is not equal
  size_t at_once = 16;      // some wait for the most part
};

/// Plays the scenarios in `paths`: files, folders of them, or a folder of such folders, each
/// against a new server. A failure names the scenario and what differs first, with `name` all of
/// it. A scenario that `except` names must differ. What cannot be read or played is in `not_played`
/// with its file and place, and the run goes on.
///
/// Errors: kBadRequest  no scenario, or `except` has a line without a name; what the disk says
///                      about a folder or `except` that it cannot read.
Result<vectors::Report> RunRestVectors(Disk& disk,
                                       const std::vector<std::string>& paths,
                                       const RestOptions& options);

}  // namespace dray::rest
