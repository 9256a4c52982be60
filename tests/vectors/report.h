// SPDX-License-Identifier: Apache-2.0
// The results of running a folder of vectors.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace dray::vectors {

struct Report {
  size_t passed = 0;
  std::vector<std::string> failures;           // "file id: what differs"
  std::vector<std::string> not_played = {};    // "file: place: why", for vectors that could not be
                                               // replayed
  std::map<std::string, size_t> not_run = {};  // reason → how many
  std::vector<std::string> summary = {};       // a line per part, where one number is not enough
};

}  // namespace dray::vectors
