// SPDX-License-Identifier: Apache-2.0
#include "manifests/files.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"

namespace dray::manifests {
namespace {

bool IsManifest(std::string_view name) {
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

/// Collects the files of one path.
class Collector {
 public:
  Collector(Disk& disk, const std::string& root, const SkipListener& skipped)
      : disk_(disk), root_(root), skipped_(skipped) {}

  Result<std::vector<std::string>> Run() {
    if (root_ == "-" || !disk_.IsFolder(root_)) return std::vector<std::string>{root_};
    DRAY_TRY_VOID(AddFolder(root_, 0));
    return std::move(files_);
  }

 private:
  Result<> AddFolder(const std::string& path, size_t depth) {
    if (depth >= kFolderDepthMax) {
      return Fail(StatusReason::kBadRequest, path + ": folders are nested too deeply");
    }
    DRAY_TRY(const std::vector<std::string> names, disk_.List(path));
    for (const std::string& name : names) {
      const std::string inner = fmt::format("{}{}{}", path, path.ends_with('/') ? "" : "/", name);
      switch (disk_.Look(inner, root_)) {
        case Disk::Entry::kFolder: DRAY_TRY_VOID(AddFolder(inner, depth + 1)); break;
        case Disk::Entry::kFile:
          if (IsManifest(name)) files_.push_back(inner);
          break;
        case Disk::Entry::kOther:
          if (IsManifest(name)) Skip(inner, "it is a device, a pipe or a socket");
          break;
        case Disk::Entry::kOutside:
          if (IsManifest(name) || disk_.IsFolder(inner))
            Skip(inner, "it is a link out of the folder");
          break;
      }
    }
    return {};
  }

  void Skip(const std::string& path, std::string_view why) const {
    if (skipped_) skipped_(fmt::format("{}: skipped: {}", path, why));
  }

  Disk& disk_;
  const std::string& root_;
  const SkipListener& skipped_;
  std::vector<std::string> files_;
};

}  // namespace

Result<std::vector<std::string>> ManifestFiles(Disk& disk,
                                               std::span<const std::string> paths,
                                               const SkipListener& skipped) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    DRAY_TRY(std::vector<std::string> of_path, Collector(disk, path, skipped).Run());
    std::ranges::move(of_path, std::back_inserter(files));
  }
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
