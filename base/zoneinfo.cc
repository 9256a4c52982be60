// SPDX-License-Identifier: Apache-2.0
#include "base/zoneinfo.h"

#include <array>

#include <fmt/format.h>

namespace dray {
namespace {

constexpr std::array<std::string_view, 4> kFolders = {
    "/usr/share/zoneinfo/", "/usr/share/lib/zoneinfo/", "/usr/lib/locale/TZ/", "/etc/zoneinfo/"};

// Whether a part of `path` before its last slash is a file. The first `folder` bytes are known to
// be a folder.
bool LeadsThroughFile(Disk& disk, const std::string& path, size_t folder) {
  for (size_t slash = path.rfind('/'); slash >= folder; slash = path.rfind('/', slash - 1)) {
    if (disk.Read(path.substr(0, slash)).has_value()) return true;
  }
  return false;
}

}  // namespace

Result<std::string> ReadZoneFile(Disk& disk, std::string_view name) {
  for (const std::string_view folder : kFolders) {
    const std::string path = std::string(folder) + std::string(name);
    if (disk.IsFolder(path)) return Fail(StatusReason::kInvalid, "is a directory");
    if (auto file = disk.Read(path); file.has_value()) return file;
    if (LeadsThroughFile(disk, path, folder.size())) {
      return Fail(StatusReason::kInvalid, "not a directory");
    }
  }
  return Fail(StatusReason::kInvalid, fmt::format("unknown time zone {}", name));
}

std::function<Result<std::string>(std::string_view name)> ZoneFilesOf(Disk& disk) {
  return [&disk](std::string_view name) { return ReadZoneFile(disk, name); };
}

}  // namespace dray
