// SPDX-License-Identifier: Apache-2.0
// The forms of an answer.
#pragma once

#include <cstdint>
#include <string_view>

namespace dray::server::documents {

enum class Encoding : uint8_t { kJson, kYaml, kProtobuf };

/// The form of the object in an answer.
enum class Transform : uint8_t { kNone, kTable, kPartial, kPartialList, kAggregated };

struct Form {
  Encoding encoding = Encoding::kJson;
  Transform transform = Transform::kNone;
  // The version of that form: v1, v1beta1; for aggregated discovery: v2, v2beta1.
  std::string_view version = "v1";
  bool pretty = false;  // requested by a parameter of Accept
};

/// The media type of an answer without transformation.
std::string_view MediaType(Encoding encoding);

/// The media type of a watch, whose events follow each other in one answer.
std::string_view StreamMediaType(Encoding encoding);

}  // namespace dray::server::documents
