// SPDX-License-Identifier: Apache-2.0
// dray-vectors gen and pods: print random problems for other programs.
#pragma once

#include <span>
#include <string>

#include "base/world.h"

namespace dray::judges {

/// The text of `gen --help`.
std::string GenerateUsage();

/// Runs `dray-vectors gen` with the words after "gen". Exit code: 0, or 2 for bad usage or a file
/// that cannot be written, with a message on the standard error stream.
int RunGenerate(std::span<const std::string> words, Disk& disk);

/// Runs `dray-vectors pods SEED`: prints RandomPods as a List. Exit code: 0, or 2 for bad usage.
int RunGeneratePods(std::span<const std::string> words);

}  // namespace dray::judges
