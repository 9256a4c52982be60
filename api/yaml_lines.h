// SPDX-License-Identifier: Apache-2.0
// YamlLines: where the fields of a YAML document stand, so that messages can say file:line.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace dray::api {

/// The line of a value and of everything inside it.
struct YamlLines {
  size_t line = 0;  // of the key for members, of the value for items; from 1
  std::map<std::string, YamlLines, std::less<>> members = {};  // by key, or index from "0"

  /// The line of the field that error messages call `path`: members after dots, list items and map
  /// keys in brackets ("spec.devices[2].attributes[a.b/c].string"). A field that is not there has
  /// the line of the innermost one around it that is.
  size_t LineOf(std::string_view path) const;
};

}  // namespace dray::api
