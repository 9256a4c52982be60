// SPDX-License-Identifier: Apache-2.0
#include "custom/rules/field_path.h"

#include <string_view>

#include <gtest/gtest.h>

#include "custom/testing/written_definition.h"

namespace dray::custom::rules {
namespace {

using testing::WidgetsWithFields;

TEST(FieldPath, FieldsAndKeysAreFollowed) {
  const auto widgets = WidgetsWithFields(
      R"("a":{"type":"string"},"it's":{"type":"integer"},"m":{"type":"object",)"
      R"("additionalProperties":{"type":"object","properties":{"x":{"type":"boolean"}}}},)"
      R"("l":{"type":"array","items":{"type":"string"}})");
  const auto& schema = *widgets.spec.versions[0].schema->open_apiv3_schema;
  struct Case {
    std::string_view path, outcome;
  };
  constexpr Case kCases[] = {
      {".spec.a", "spec.a"},
      {"['spec'].a", "spec.a"},
      {".spec['it\\'s']", "spec.it's"},
      {".spec.m.k.x", "spec.m[k].x"},
      {".spec.m['a.b'].x", "spec.m[a.b].x"},
      {"spec.a", "expected [ or . but got: spec"},
      {".spec.", "unexpected end of JSON path"},
      {".spec..a", "does not refer to a valid field"},
      {".spec.b", "does not refer to a valid field"},
      {".spec.a.b", "does not refer to a valid field"},
      {".spec.l[0]", "expected single quoted string but got 0"},
      {".spec.m['k'.x", "expected ] but got ."},
      {".spec.m['k'", "unexpected end of JSON path"},
      {".spec.m[", "unexpected end of JSON path"},
      {".spec.m['\\q']", "invalid string literal: invalid escape char \\q"},
  };
  for (const Case& c : kCases) {
    const auto found = FindField(c.path, schema, Brackets::kAllowed);
    EXPECT_EQ(found.has_value() ? found->path : found.error().message, c.outcome) << c.path;
  }
  const auto refused = FindField(".spec.m['k']", schema, Brackets::kRefused);
  EXPECT_EQ(refused.error().message, "array notation is not allowed");
}

}  // namespace
}  // namespace dray::custom::rules
