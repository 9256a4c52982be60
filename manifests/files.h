// SPDX-License-Identifier: Apache-2.0
// Where manifests come from: files, folders, standard input.
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

/// Folders inside each other, the first of them named.
inline constexpr size_t kFolderDepthMax = 32;

/// Is told what a folder has that is not read, a line each.
using SkipListener = std::function<void(std::string line)>;

/// The files that `paths` name: a file itself, "-", or of a folder its .yaml, .yml and .json files,
/// sorted, and those of its folders. Of a folder, devices, pipes, sockets and links out of it are
/// skipped: whoever filled it need not be who reads it. What is named itself is read.
///
/// Errors: kBadRequest  folders nested deeper than kFolderDepthMax.
///         what the disk says about unreadable folders.
Result<std::vector<std::string>> ManifestFiles(Disk& disk,
                                               std::span<const std::string> paths,
                                               const SkipListener& skipped = {});

/// The text of one of them; "-" is standard input. Errors: what the disk says, also of one that is
/// longer than Disk::kReadBytesMax.
///         kBadRequest  UTF-16, as some editors and shells write it.
Result<std::string> ReadManifestFile(Disk& disk, const std::string& file);

}  // namespace dray::manifests
