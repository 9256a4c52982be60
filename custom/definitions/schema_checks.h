// SPDX-License-Identifier: Apache-2.0
// All rules for the schema of a version.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/apiextensions_v1.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"
#include "custom/definitions/patterns.h"
#include "custom/definitions/requirements.h"

namespace dray::custom::definitions {

/// Whether objects of the version have the subresource status.
enum class HasStatus : uint8_t { kNo, kYes };

/// Checks schemas of one definition.
class SchemaCheck {
 public:
  SchemaCheck(const Requirements& required, api::validation::FieldErrors& errors)
      : required_(required), errors_(errors) {}

  /// Checks the schema of the version of this name; `path` is that of the schema itself. O(size),
  /// besides patterns and the expressions of rules.
  void Run(const api::apiextensions_v1::JSONSchemaProps& schema,
           std::string_view version,
           HasStatus has_status,
           const api::validation::Path& path);

 private:
  /// Whether the form and the defaults are good, so that rules can be compiled.
  bool CheckForm(const api::apiextensions_v1::JSONSchemaProps& schema,
                 const api::validation::Path& path);

  const Requirements& required_;
  api::validation::FieldErrors& errors_;
  Patterns patterns_;
};

}  // namespace dray::custom::definitions
