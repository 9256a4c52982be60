// SPDX-License-Identifier: Apache-2.0
#include "server/audit/rotated_file.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/value/time.h"
#include "base/try.h"

namespace dray::server::audit {
namespace {

constexpr uint64_t kMegabyte = uint64_t{1} << 20;

struct PathParts {
  std::string folder;  // with its slash, or empty
  std::string stem, extension;
};

PathParts PartsOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const size_t begin = slash == std::string::npos ? 0 : slash + 1;
  const std::string name = path.substr(begin);
  const size_t dot = std::min(name.rfind('.'), name.size());
  return {
      .folder = path.substr(0, begin), .stem = name.substr(0, dot), .extension = name.substr(dot)};
}

// 2006-01-02T15-04-05.000
std::string StampOf(WallTime now) {
  const auto micros = std::chrono::floor<std::chrono::microseconds>(now.time_since_epoch());
  std::string text = api::MicroTime::FromUnixMicros(micros.count()).ToString();
  constexpr size_t kMillis = 23;
  text.resize(std::min(text.size(), kMillis));
  std::ranges::replace(text, ':', '-');
  return text;
}

}  // namespace

Result<std::unique_ptr<RotatedFile>> RotatedFile::Open(World& world,
                                                       std::string path,
                                                       const Rotation& rotation) {
  std::unique_ptr<RotatedFile> made(new RotatedFile(world, std::move(path), rotation));
  DRAY_TRY(made->file_, world.disk.OpenGrowing(made->path_));
  return made;
}

Result<> RotatedFile::Append(std::string_view line) {
  const bool is_full = file_ != nullptr && file_->size() > 0 &&
                       file_->size() + line.size() > rotation_.megabytes_max * kMegabyte;
  if (file_ == nullptr || is_full) DRAY_TRY_VOID(Rotate());
  return file_->Append(line);
}

Result<> RotatedFile::Rotate() {
  if (std::exchange(file_, nullptr) != nullptr) {
    const PathParts parts = PartsOf(path_);
    const std::string backup = fmt::format(
        "{}{}-{}{}", parts.folder, parts.stem, StampOf(world_.clock.Now()), parts.extension);
    DRAY_TRY_VOID(world_.disk.Rename(path_, backup));
    DropOld();
  }
  DRAY_TRY(file_, world_.disk.OpenGrowing(path_));
  return {};
}

// A file that cannot be removed stays until the next rotation.
void RotatedFile::DropOld() {
  if (rotation_.backups_max == 0 && rotation_.days_max == 0) return;
  const PathParts parts = PartsOf(path_);
  const Result<std::vector<std::string>> names = world_.disk.List(
      parts.folder.empty() ? "." : parts.folder.substr(0, parts.folder.size() - 1));
  if (!names.has_value()) return;
  const std::string begin = parts.stem + "-";
  const std::string today = StampOf(world_.clock.Now());
  std::vector<std::string> backups;  // oldest first, because the names sort by time
  for (const std::string& name : *names) {
    const bool is_backup = name.starts_with(begin) && name.ends_with(parts.extension) &&
                           name.size() == begin.size() + today.size() + parts.extension.size();
    if (is_backup) backups.push_back(name);
  }
  const std::string oldest = StampOf(
      world_.clock.Now() - std::chrono::hours(24) * static_cast<int64_t>(rotation_.days_max));
  for (size_t i = 0; i < backups.size(); ++i) {
    const bool is_too_many =
        rotation_.backups_max > 0 && backups.size() - i > rotation_.backups_max;
    const bool is_too_old =
        rotation_.days_max > 0 && backups[i].substr(begin.size(), oldest.size()) < oldest;
    if (is_too_many || is_too_old) (void)world_.disk.Remove(parts.folder + backups[i]);
  }
}

}  // namespace dray::server::audit
