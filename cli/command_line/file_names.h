// SPDX-License-Identifier: Apache-2.0
// Names that stand in files, for completion.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/world.h"

namespace dray::cli::inline command_line {

/// Somebody waits with a finger on the key: of larger files nothing is offered.
inline constexpr size_t kCompletedBytesMax = size_t{16} << 20;

struct FileName {
  std::string kind, namespace_, name;
};

/// What objects the files and folders name, in their order. What cannot be read is passed over, and
/// so are standard input and all files from the one on with which they are longer than
/// kCompletedBytesMax together. O(bytes).
std::vector<FileName> NamesInFiles(Disk& disk, std::span<const std::string> paths);

}  // namespace dray::cli::inline command_line
