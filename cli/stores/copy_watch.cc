// SPDX-License-Identifier: Apache-2.0
#include "cli/stores/copy_watch.h"

#include <chrono>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace dray::cli::inline stores {

bool CopyWatch::Step(uint64_t done, uint64_t all) {
  progress_.Now(fmt::format("{}: {} %", doing_, all == 0 ? 100 : done * 100 / all));
  is_ended_ = is_ended_ || signals_.WaitFor(std::chrono::nanoseconds(0));
  return !is_ended_;
}

int CopyWatch::ReportEnd(std::string_view text) {
  progress_.Clear();
  output_.Refuse("store", text);
  return kExitInterrupted;
}

std::string BackupEndText(const std::string& file) {
  return fmt::format("the backup was ended; nothing is left of {}", file);
}

}  // namespace dray::cli::inline stores
