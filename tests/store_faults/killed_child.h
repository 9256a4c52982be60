// SPDX-License-Identifier: Apache-2.0
// A process that works until it is killed, and its output until then.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dray::store_faults {

/// Runs `command`, reads its output until `lines` lines have come, sends SIGKILL, and reads on to
/// the end. Returns all output; empty if it could not be run.
std::string OutputUntilKilled(const std::vector<std::string>& command, size_t lines);

}  // namespace dray::store_faults
