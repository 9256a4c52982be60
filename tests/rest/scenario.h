// SPDX-License-Identifier: Apache-2.0
// A recorded scenario: the server that it needs, and its bodies.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "base/result.h"
#include "base/world.h"

namespace dray::rest {

struct Scenario {
  std::string name;    // generic-1.37/pods
  std::string folder;  // that names of files in it are relative to
  boost::json::object document;
};

/// Errors: kBadRequest  `file` has no valid scenario; names the place and the error. Errors of the
/// disk.
Result<Scenario> ReadScenario(Disk& disk, const std::string& file);

/// The options that make `dray serve` emulate the server of the recording.
std::vector<std::string> ServerOptions(const Scenario& scenario);

/// Its users as lines of a token file.
std::string TokenLines(const Scenario& scenario);

/// A body of a request or an answer.
struct RecordedBody {
  std::string bytes;
  bool is_text = true;  // it was recorded as such, so variables in it are filled in
};

/// Returns nothing if `message` has no body. Errors: kBadRequest  its base64 is invalid; errors of
/// the disk for the body's file.
Result<std::optional<RecordedBody>> BodyOf(Disk& disk,
                                           const Scenario& scenario,
                                           const boost::json::object& message);

}  // namespace dray::rest
