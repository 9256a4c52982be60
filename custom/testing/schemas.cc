// SPDX-License-Identifier: Apache-2.0
#include "custom/testing/schemas.h"

#include <utility>

#include "api/codec/json.h"
#include "api/reflect.h"
#include "base/check.h"

namespace dray::custom::testing {

api::apiextensions_v1::JSONSchemaProps PropsOf(std::string_view json) {
  api::apiextensions_v1::JSONSchemaProps props;
  const Result<> read =
      api::DecodeJson(api::TypeOf<api::apiextensions_v1::JSONSchemaProps>(), json, &props, nullptr);
  DRAY_CHECK(read.has_value());
  return props;
}

Frozen<schema::Schema> SchemaOf(std::string_view json) {
  return schema::CompileSchema(PropsOf(json));
}

api::Tree TreeOf(std::string_view json) {
  Result<api::Tree> tree = api::ReadTree(json);
  DRAY_CHECK(tree.has_value());
  return *std::move(tree);
}

}  // namespace dray::custom::testing
