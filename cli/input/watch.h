// SPDX-License-Identifier: Apache-2.0
// An answer about a running cluster, given again whenever it changes.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "cli/input/live_input.h"
#include "cli/input/offline_input.h"
#include "cli/terminal/output.h"

namespace dray::cli::inline input {

/// What there is to print, and how the program would end now.
struct Said {
  std::string text;
  int code = kExitYes;
  std::vector<ListedVersion> listed;  // what it is about
};

/// Of a cluster that keeps changing.
inline constexpr std::chrono::milliseconds kLookAgainAfter{500};

struct WatchOptions {
  std::string_view command;  // in messages
  std::string_view format;   // the word of -o: decides what stands between two answers
};

/// Prints what `ask` says, and again whenever it says something else, until a signal ends it: the
/// exit code of the last answer. Precondition: no thread has started.
/// Errors: kBadRequest  there are only files; what `ask` says the first time, and the cluster.
/// Later errors are told, and it goes on unless the question itself is wrong.
Result<int> WatchAnswers(World& world,
                         const OfflineInputOptions& input,
                         const WatchOptions& options,
                         const std::function<Result<Said>()>& ask,
                         const Output& output);

}  // namespace dray::cli::inline input
