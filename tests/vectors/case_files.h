// SPDX-License-Identifier: Apache-2.0
// Files of vectors that are JSON arrays, one object a case.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "base/world.h"

namespace dray::vectors {

/// Calls `visit` for every case of every file, in order; what is no object is passed over.
/// Errors: kBadRequest  a file is no JSON array; what the disk says about one it cannot read.
Result<> ForEachCase(Disk& disk,
                     const std::vector<std::string>& files,
                     const std::function<void(const boost::json::object&)>& visit);

}  // namespace dray::vectors
