// SPDX-License-Identifier: Apache-2.0
#include "cli/backup_watch.h"

#include <chrono>

#include <fmt/format.h>

namespace dray::cli {

bool BackupWatch::Step(uint64_t done, uint64_t all) {
  progress_.Now(fmt::format("backing up: {} %", all == 0 ? 100 : done * 100 / all));
  is_ended_ = is_ended_ || signals_.WaitFor(std::chrono::nanoseconds(0));
  return !is_ended_;
}

int BackupWatch::TellEnd(const std::string& file) {
  progress_.Clear();
  output_.Refuse("store", fmt::format("the backup was ended; nothing is left of {}", file));
  return kExitInterrupted;
}

}  // namespace dray::cli
