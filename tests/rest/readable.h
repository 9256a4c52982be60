// SPDX-License-Identifier: Apache-2.0
// Bodies in any encoding as JSON, so that one comparison does for all.
#pragma once

#include <string_view>

#include <boost/json.hpp>

#include "base/result.h"

namespace dray::rest {

/// Converts an object, a list or a Status in protobuf's envelope to JSON. Messages that no kind
/// describes (documents of discovery) become {"FIELD NUMBER": [VALUE…]}, level by level; a value is
/// a message if its bytes are one, else a text.
///
/// Errors: kBadRequest  there is no envelope, or its contents cannot be decoded.
Result<boost::json::value> FromProtobuf(std::string_view body);

/// One frame of a watch in protobuf as the JSON line that it stands for. Errors as above.
Result<boost::json::value> FromProtobufFrame(std::string_view frame);

/// Errors: kBadRequest  it is no YAML.
Result<boost::json::value> FromYaml(std::string_view body);

/// Errors: kBadRequest  it is no JSON.
Result<boost::json::value> FromJson(std::string_view body);

}  // namespace dray::rest
