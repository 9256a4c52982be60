// SPDX-License-Identifier: Apache-2.0
// YamlLines: the lines of the fields of a YAML document, for messages with file:line.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace dray::api::inline codec {

/// The line of a value and of everything inside it.
struct YamlLines {
  size_t line = 0;  // of the key for members, of the value for items; from 1
  std::map<std::string, YamlLines, std::less<>> members = {};  // by key, or index from "0"

  /// A place in the document, and how much of a path led there.
  struct Place {
    size_t line = 0;
    size_t matched = 0;  // bytes of the path
  };

  /// Finds the field at `path`, in the form of error messages: members after dots, list items and
  /// map keys in brackets ("spec.devices[2].attributes[a.b/c].string"). Keys with dots are found
  /// after a dot too ("spec.devices[2].attributes.a.b/c.string"); the longest existing key counts.
  /// If the field does not exist, returns the innermost one that does. O(length of the path,
  /// squared where keys have many dots).
  Place Find(std::string_view path) const;

  /// The line of Find().
  size_t LineOf(std::string_view path) const { return Find(path).line; }
};

}  // namespace dray::api::inline codec
