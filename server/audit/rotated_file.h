// SPDX-License-Identifier: Apache-2.0
// A file of lines that is renamed and replaced by a new one when it is full. Names and limits are
// those of kube-apiserver's --audit-log-… flags: "audit.log" becomes
// "audit-2026-01-02T15-04-05.000.log".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/world.h"

namespace dray::server::audit {

struct Rotation {
  uint64_t megabytes_max = 100;  // size of one file
  uint64_t backups_max = 0;      // number of full files that are kept; 0: all
  uint64_t days_max = 0;         // age at which full files are removed; 0: never
};

/// Not thread-safe.
class RotatedFile {
 public:
  /// Opens the file and appends to what it contains. The world outlives it.
  /// Errors: those of Disk::OpenGrowing.
  static Result<std::unique_ptr<RotatedFile>> Open(World& world,
                                                   std::string path,
                                                   const Rotation& rotation);

  /// Appends a line, to a new file if the current one would become too large. A line that is larger
  /// than the limit gets a file of its own.
  /// Errors: those of the disk; lines written before stay.
  Result<> Append(std::string_view line);

 private:
  RotatedFile(World& world, std::string path, const Rotation& rotation)
      : world_(world), path_(std::move(path)), rotation_(rotation) {}

  Result<> Rotate();
  void DropOld();

  World& world_;
  const std::string path_;
  const Rotation rotation_;
  std::unique_ptr<GrowingFile> file_;
};

}  // namespace dray::server::audit
