// SPDX-License-Identifier: Apache-2.0
// Replays scenarios recorded with real API servers, several at a time.
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

/// Replays the scenarios in `paths`: files, folders of them, or a folder of such folders, each
/// against a new server. A failure names the scenario and its first difference, with `name` all of
/// them. A scenario that `except` names must differ. `not_played` gets scenarios that cannot be
/// read or replayed, with file and place; the run continues.
///
/// Errors: kBadRequest  no scenario, or `except` has a line without a name; errors of the disk for
///                      a folder or `except`.
Result<vectors::Report> RunRestVectors(Disk& disk,
                                       const std::vector<std::string>& paths,
                                       const RestOptions& options);

}  // namespace dray::rest
