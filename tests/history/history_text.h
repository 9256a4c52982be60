// SPDX-License-Identifier: Apache-2.0
// Histories as text: to keep one that failed, to check it again, and to pass one from a process
// that may be killed to the process that checks it.
//
// One line for each event of the run, in order, so the file is a log and a process can append its
// lines as they occur:
//
//   dray-history 1
//   first 1
//   held "a" "v0" 1 1 1                      a key before it all: value, created, modified, version
//   5 call 0 0 get "a" linearizable          5 is the moment and the name; client 0, server 0
//   6 seen 5 at 1 item "a" "v0" 1 1 1
//   7 call 1 0 write if "a" 1 put "a" "v1" delete "b"
//   8 done 7 at 2 item "a" "v1" 1 2 2 none
//   9 watch 1 0 "a" after 1 previous
//   10 events 9 updated "a" "v1" 1 2 2 was "a" "v0" 1 1 1 through 2
//
// Strings are quoted; `"`, `\` and bytes outside printable ASCII are written \xHH.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "tests/history/history.h"

namespace dray::history {

/// The first lines: version, first revision, initial contents.
std::string HeadText(const History& history);
/// The line of a call, and that of its answer.
std::string CallText(const Operation& operation);
std::string AnswerText(const Operation& operation);
/// The line of a watch that begins, and that of one response.
std::string WatchText(const Watch& watch);
std::string ResponseText(const Watch& watch, const Response& response);

/// The whole history.
std::string ToText(const History& history);

/// Reads the output of ToText, or any prefix of it: a last line that is cut off is dropped, and a
/// call without an answer has an unknown outcome.
///
/// Errors: kBadRequest  names the line and its error.
Result<History> ParseHistory(std::string_view text);

}  // namespace dray::history
