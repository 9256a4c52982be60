// SPDX-License-Identifier: Apache-2.0
// Compares an OpenAPI document with a recorded one in the parts that clients use: operations,
// parameters, and the fields in schemas of kinds. Names of schemas and descriptions may differ.
#pragma once

#include <string>
#include <vector>

#include <boost/json.hpp>

namespace dray::rest {

/// Whether `answer` is a document of OpenAPI, version 2 or 3, or the list of those of version 3.
bool IsOpenApi(const boost::json::value& answer);

/// The parts of the recorded document that are missing or different in the other, each with its
/// place; at most kDifferencesMax. Additional parts are allowed.
std::vector<std::string> OpenApiDifferences(const boost::json::object& recorded,
                                            const boost::json::object& got);

}  // namespace dray::rest
