// SPDX-License-Identifier: Apache-2.0
// dray allocate: who would get which devices, from manifests alone.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "base/world.h"

namespace dray::cli {

enum class OutputFormat : uint8_t { kTable, kJson, kYaml };

struct AllocateOptions {
  std::vector<std::string> paths;   // files, folders, "-"
  std::string node;                 // empty: all
  std::string name_space;           // decide about its pods and claims only; empty: all
  bool each_node = false;           // an answer per node, not the first that fits
  std::string profile = "v0.37.2";  // a released version of upstream's allocator
  std::string feature_gates;        // "DRAAdminAccess=false,…"; the release's defaults otherwise
  int64_t steps_max = 20'000'000;   // of one search
  OutputFormat output = OutputFormat::kTable;
};

/// Writes the answer to `out` and notes to `notes`. Returns the exit code: 0 everything fits, 1
/// something does not, 2 bad options or unreadable input, 3 the search was given up and nothing
/// else is in the way.
int Allocate(World& world, const AllocateOptions& options, std::FILE* out, std::FILE* notes);

}  // namespace dray::cli
