// SPDX-License-Identifier: Apache-2.0
// Repeats an answer about a running cluster whenever it changes.
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

/// An answer as text, with its exit code.
struct Said {
  std::string text;
  int code = kExitYes;
  std::vector<ListedVersion> listed;  // the state that it is about
};

/// The interval between answers while the cluster keeps changing.
inline constexpr std::chrono::milliseconds kLookAgainAfter{500};

struct WatchOptions {
  std::string_view command;  // in messages
  std::string_view format;   // the word of -o; determines the separator of answers
};

/// Prints the answer of `ask`, and again whenever it differs, until a signal arrives. Returns the
/// exit code of the last answer. Precondition: no thread has started. Errors: kBadRequest  there
/// are only files; errors of the first `ask`, and of the cluster. Later errors are printed, and the
/// watch continues unless the question itself is wrong.
Result<int> WatchAnswers(World& world,
                         const OfflineInputOptions& input,
                         const WatchOptions& options,
                         const std::function<Result<Said>()>& ask,
                         const Output& output);

}  // namespace dray::cli::inline input
