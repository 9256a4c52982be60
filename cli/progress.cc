// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <cstdio>

#include <fmt/format.h>

namespace dray::cli {

void Progress::Now(std::string_view what) {
  if (!output_.shows_progress) return;
  Clear();
  fmt::print(output_.notes, "{} …", what);
  (void)std::fflush(output_.notes);  // a terminal that is gone sees nothing anyway
  is_shown_ = true;
}

void Progress::Clear() {
  constexpr std::string_view kEraseLine = "\r\033[K";
  if (is_shown_) fmt::print(output_.notes, "{}", kEraseLine);
  is_shown_ = false;
}

}  // namespace dray::cli
