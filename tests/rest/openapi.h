// SPDX-License-Identifier: Apache-2.0
// Whether a document of OpenAPI says what the recorded one says to clients: operations, parameters,
// and what the schemas of kinds say of their fields. Names of schemas and descriptions are free.
#pragma once

#include <string>
#include <vector>

#include <boost/json.hpp>

namespace dray::rest {

/// Whether `answer` is a document of OpenAPI, version 2 or 3, or the list of those of version 3.
bool IsOpenApi(const boost::json::value& answer);

/// What the recorded document has and the other lacks or says otherwise, each with its place; at
/// most kDifferencesMax are told. What the other has more is free.
std::vector<std::string> OpenApiDifferences(const boost::json::object& recorded,
                                            const boost::json::object& got);

}  // namespace dray::rest
