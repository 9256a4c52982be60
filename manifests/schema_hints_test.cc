// SPDX-License-Identifier: Apache-2.0
#include "manifests/schema_hints.h"

#include <string>

#include <gtest/gtest.h>

#include "api/codec/json.h"

namespace dray::manifests {
namespace {

using api::apiextensions_v1::JSONSchemaProps;

JSONSchemaProps SchemaOfWidgets() {
  JSONSchemaProps schema;
  const Result<> read =
      api::DecodeJson(api::TypeOf<JSONSchemaProps>(),
                      R"({"type":"object","properties":{"spec":{"type":"object","properties":{
            "colour":{"type":"string"},
            "parts":{"type":"array","items":{"type":"object","properties":{"weight":{"type":"integer"}}}},
            "sites":{"type":"object","additionalProperties":{"type":"object",
              "properties":{"address":{"type":"string"}}}},
            "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}})",
                      &schema,
                      nullptr);
  EXPECT_TRUE(read.has_value());
  return schema;
}

TEST(SchemaHints, AnUnknownFieldIsComparedWithTheNamesAtItsPlace) {
  struct Case {
    std::string path, hint;
  };
  const Case cases[] = {
      {"spec.color", "did you mean spec.colour?"},
      {"sepc", "did you mean spec?"},
      {"spec.parts[0].wieght", "did you mean spec.parts[0].weight?"},
      {"spec.sites.north.adress", "did you mean spec.sites.north.address?"},
      {"spec.nonsense", "known here: colour, free, parts, sites"},
      {"spec.free.any", ""},
      {"spec.nothing.there", ""},
      {"", "known here: spec"},
  };
  const JSONSchemaProps schema = SchemaOfWidgets();
  for (const Case& one : cases) {
    EXPECT_EQ(HintForSchemaField(schema, one.path), one.hint) << one.path;
  }
}

}  // namespace
}  // namespace dray::manifests
