// SPDX-License-Identifier: Apache-2.0
// dray allocate: who would get which devices, from manifests alone.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "base/world.h"

namespace dray::cli {

enum class OutputFormat : uint8_t { kTable, kJson, kYaml };

struct AllocateOptions {
  std::vector<std::string> paths;  // files, folders, "-"
  std::string node;                // empty: all
  OutputFormat output = OutputFormat::kTable;
};

/// Writes the answer to `out` and notes to `notes`. Returns the exit code: 0 everything fits, 1
/// something does not, 2 unreadable input.
int Allocate(World& world, const AllocateOptions& options, std::FILE* out, std::FILE* notes);

}  // namespace dray::cli
