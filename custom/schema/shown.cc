// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/shown.h"

#include "api/codec/tree_json.h"
#include "api/codec/yaml_scalar.h"
#include "api/text/cut.h"
#include "api/validation/cause_limits.h"
#include "api/validation/field_error.h"

namespace dray::custom::schema {

std::string ShownTree(const api::Tree& value) {
  constexpr size_t kMax = api::validation::kShownMax;
  if (value.is_text()) return api::validation::Shown(value.text());
  if (value.is_double()) return api::FormatGoDouble(value.number());
  return api::Cut(BeginningOf(value, kMax), kMax);
}

}  // namespace dray::custom::schema
