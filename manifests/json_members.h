// SPDX-License-Identifier: Apache-2.0
// JSON objects as lists of members whose values keep their text, so that numbers and driver
// parameters pass through byte for byte.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dray::manifests {

struct JsonMember {
  std::string key;
  std::string value;  // JSON text
  bool operator==(const JsonMember&) const = default;
};

/// The members of `json`, an object, in order; empty for any other value.
std::vector<JsonMember> MembersOf(std::string_view json);
/// The elements of `json`, an array; empty for any other value.
std::vector<std::string> ElementsOf(std::string_view json);

std::string ObjectOf(const std::vector<JsonMember>& members);
std::string ArrayOf(const std::vector<std::string>& elements);
/// `text` as a JSON string.
std::string Quoted(std::string_view text);

}  // namespace dray::manifests
