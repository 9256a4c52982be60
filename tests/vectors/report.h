// SPDX-License-Identifier: Apache-2.0
// What running a folder of vectors came to.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace dray::vectors {

struct Report {
  size_t passed = 0;
  std::vector<std::string> failures;           // "file id: what differs"
  std::vector<std::string> not_played = {};    // "file: place: why", of what no runner could play
  std::map<std::string, size_t> not_run = {};  // reason → how many
  std::vector<std::string> summary = {};       // a line per part, where one number says too little
};

}  // namespace dray::vectors
