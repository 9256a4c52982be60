// SPDX-License-Identifier: Apache-2.0
// A file of lines that makes room for a new one when it is full. Names and rules are those that
// kube-apiserver's --audit-log-… flags promise: "audit.log" becomes
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
  uint64_t megabytes_max = 100;  // of one file
  uint64_t backups_max = 0;      // full files that are kept; 0: all
  uint64_t days_max = 0;         // and for how long; 0: for ever
};

/// Not thread-safe.
class RotatedFile {
 public:
  /// Goes on at the end of what is there. The world outlives it.
  /// Errors: those of Disk::OpenGrowing.
  static Result<std::unique_ptr<RotatedFile>> Open(World& world,
                                                   std::string path,
                                                   const Rotation& rotation);

  /// Writes a line, into a new file if this one would become too large by it. A line that alone is
  /// too large has a file of its own.
  /// Errors: those of the disk; what was written before stays.
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
