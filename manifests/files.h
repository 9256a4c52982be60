// SPDX-License-Identifier: Apache-2.0
// Finds and reads files of manifests: files, folders, standard input.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/world.h"

namespace dray::manifests {

/// The most levels of nested folders, counting the named one.
inline constexpr size_t kFolderDepthMax = 32;

/// Called with a line for each entry of a folder that is skipped.
using SkipListener = std::function<void(std::string line)>;

/// The files of `paths`: a file itself, "-", or for a folder its .yaml, .yml and .json files,
/// sorted, and those of its subfolders. In folders, devices, pipes, sockets and links to the
/// outside are skipped, because other users may have put them there. A path named directly is
/// always read.
///
/// Errors: kBadRequest  folders nested deeper than kFolderDepthMax. Those of the disk for
/// unreadable folders.
Result<std::vector<std::string>> ManifestFiles(Disk& disk,
                                               std::span<const std::string> paths,
                                               const SkipListener& skipped = {});

/// The text of one of them; "-" is standard input. Errors: those of the disk, also for a file
/// longer than Disk::kReadBytesMax. kBadRequest  UTF-16, which some editors and shells write.
Result<std::string> ReadManifestFile(Disk& disk, const std::string& file);

}  // namespace dray::manifests
