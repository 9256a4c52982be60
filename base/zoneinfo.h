// SPDX-License-Identifier: Apache-2.0
// The time zone database of the system: one compiled file per zone (RFC 9636).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/world.h"

namespace dray {

/// The contents of the file of the zone `name` ("Europe/Berlin"), from the folders where Go's
/// time.LoadLocation looks. `name` must stay inside them: no "..", no slash at the front.
///
/// Errors: kInvalid  in Go's words: "unknown time zone X", "is a directory", "not a directory"
Result<std::string> ReadZoneFile(Disk& disk, std::string_view name);

/// ReadZoneFile for `disk`, which outlives the function.
std::function<Result<std::string>(std::string_view name)> ZoneFilesOf(Disk& disk);

}  // namespace dray
