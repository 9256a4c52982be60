// SPDX-License-Identifier: Apache-2.0
// A file that is there only once all of it is.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace dray::cli {

/// Written piece by piece, by its owner alone to be read; removed again unless Finish was called.
class NewFile {
 public:
  /// Errors: kAlreadyExists  `path` does. kForbidden, kNotFound, kInternalError  the system's
  /// words.
  static Result<NewFile> Make(const std::string& path);

  NewFile(NewFile&& other) noexcept
      : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}
  NewFile& operator=(NewFile&&) = delete;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  /// Errors: kInternalError  the disk is full, or failed.
  Result<> Append(std::string_view bytes);
  /// It is on the disk, and stays.
  Result<> Finish();

 private:
  NewFile(std::string path, int file) : path_(std::move(path)), file_(file) {}
  std::unexpected<Error> Failed() const;

  std::string path_;
  int file_;
};

}  // namespace dray::cli
