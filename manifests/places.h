// SPDX-License-Identifier: Apache-2.0
// Where in a document the field stands that an error names. Errors name fields as the newest
// version has them; the document may be of an older one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/codec/yaml_lines.h"

namespace dray::manifests {

/// The fields of one object in a document.
class DocumentPlaces {
 public:
  /// `object` is the object's own path in the document ("items[3]"), empty for the document itself.
  /// `lines` must outlive this.
  DocumentPlaces(const api::YamlLines& lines, std::string_view object)
      : lines_(lines), object_(object) {}

  /// The line of `field`, or of the innermost field around it that is there.
  size_t LineOf(std::string_view field) const;

 private:
  const api::YamlLines& lines_;
  std::string object_;
};

}  // namespace dray::manifests
