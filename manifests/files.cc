// SPDX-License-Identifier: Apache-2.0
#include "manifests/files.h"

#include <string_view>

#include <fmt/format.h>

namespace dray::manifests {
namespace {

bool IsManifest(std::string_view name) {
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

Result<> Collect(Disk& disk,
                 const std::string& path,
                 size_t depth,
                 std::vector<std::string>& files) {
  if (path == "-" || !disk.IsFolder(path)) {
    files.push_back(path);
    return {};
  }
  if (depth >= kFolderDepthMax) {
    return Fail(StatusReason::kBadRequest, path + ": folders are nested too deeply");
  }
  DRAY_TRY(const std::vector<std::string> names, disk.List(path));
  for (const std::string& name : names) {
    const std::string inner = fmt::format("{}{}{}", path, path.ends_with('/') ? "" : "/", name);
    if (disk.IsFolder(inner) || IsManifest(name)) {
      DRAY_TRY_VOID(Collect(disk, inner, depth + 1, files));
    }
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> ManifestFiles(Disk& disk, std::span<const std::string> paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) DRAY_TRY_VOID(Collect(disk, path, 0, files));
  return files;
}

Result<std::string> ReadManifestFile(Disk& disk, const std::string& file) {
  DRAY_TRY(std::string text, disk.Read(file == "-" ? "/dev/stdin" : file));
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("{}: the text is UTF-16; save it as UTF-8", file));
  }
  return text;
}

}  // namespace dray::manifests
