// SPDX-License-Identifier: Apache-2.0
// A line that says what is being done, for somebody who waits at a terminal.
#pragma once

#include <string_view>

#include "cli/output.h"

namespace dray::cli {

/// Nothing is written when nobody watches. The line is gone when the next one comes, and at the
/// end: of quick work nobody sees it.
class Progress {
 public:
  explicit Progress(const Output& output) : output_(output) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { Clear(); }

  /// "reading" is shown as "reading …".
  void Now(std::string_view what);
  /// Before anything else is written.
  void Clear();

 private:
  const Output& output_;
  bool is_shown_ = false;
};

}  // namespace dray::cli
