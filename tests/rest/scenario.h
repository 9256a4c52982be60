// SPDX-License-Identifier: Apache-2.0
// A recorded scenario: the server that it wants, and the bodies in it.
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

/// Errors: kBadRequest  `file` holds no scenario: the place and what is wrong there; what the disk
///                      says.
Result<Scenario> ReadScenario(Disk& disk, const std::string& file);

/// The options of `dray serve` that play the server of the recording.
std::vector<std::string> ServerOptions(const Scenario& scenario);

/// Its users as lines of a token file.
std::string TokenLines(const Scenario& scenario);

/// A body of a request or an answer.
struct RecordedBody {
  std::string bytes;
  bool is_text = true;  // it was recorded as such, so variables in it are filled in
};

/// Nothing when `message` has none.
/// Errors: kBadRequest  its base64 is none; what the disk says about the file that holds it.
Result<std::optional<RecordedBody>> BodyOf(Disk& disk,
                                           const Scenario& scenario,
                                           const boost::json::object& message);

}  // namespace dray::rest
