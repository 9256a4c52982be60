// SPDX-License-Identifier: Apache-2.0
// Names of objects in files, for completion.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/world.h"

namespace dray::cli::inline command_line {

/// The size limit of files for completion, because a user waits for it.
inline constexpr size_t kCompletedBytesMax = size_t{16} << 20;

struct FileName {
  std::string kind, namespace_, name;
};

/// The names of objects in the files and folders, in their order. Skips what it cannot read,
/// standard input, and the rest of the files once their total size exceeds kCompletedBytesMax.
/// O(bytes).
std::vector<FileName> NamesInFiles(Disk& disk, std::span<const std::string> paths);

}  // namespace dray::cli::inline command_line
