// SPDX-License-Identifier: Apache-2.0
// Finds the place in a document of a field that an error names. Errors name fields as in the newest
// version; the document may have an older one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/codec/yaml_lines.h"

namespace dray::manifests {

/// The fields of one object in a document.
class DocumentPlaces {
 public:
  /// `object` is the object's path in the document ("items[3]"), empty for the document itself.
  /// `lines` must outlive this.
  DocumentPlaces(const api::YamlLines& lines, std::string_view object)
      : lines_(lines), object_(object) {}

  /// The line of `field`, or of the innermost existing field around it.
  size_t LineOf(std::string_view field) const;

 private:
  const api::YamlLines& lines_;
  std::string object_;
};

}  // namespace dray::manifests
