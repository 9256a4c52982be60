// SPDX-License-Identifier: Apache-2.0
#include "custom/testing/written_definition.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/defaults/defaults.h"
#include "api/object.h"
#include "api/value/time.h"

namespace dray::custom::testing {

using api::apiextensions_v1::CustomResourceDefinition;

CustomResourceDefinition WrittenDefinition(std::string_view json) {
  auto object = api::DecodeJson(api::Reflected<CustomResourceDefinition>::kKind, json, nullptr);
  EXPECT_TRUE(object.has_value()) << json << ": " << object.error().message;
  if (!object.has_value()) return {};
  api::defaults::SetDefaults(*object, api::Time());
  return object->As<CustomResourceDefinition>();
}

CustomResourceDefinition WidgetsWith(std::string_view schema) {
  return WrittenDefinition(fmt::format(
      R"({{"metadata":{{"name":"widgets.example.com"}},"spec":{{"group":"example.com",)"
      R"("names":{{"plural":"widgets","kind":"Widget"}},"scope":"Namespaced","versions":[{{)"
      R"("name":"v1","served":true,"storage":true,"schema":{{"openAPIV3Schema":{}}}}}]}}}})",
      schema));
}

CustomResourceDefinition WidgetsWithFields(std::string_view members) {
  return WidgetsWith(fmt::format(
      R"({{"type":"object","properties":{{"spec":{{"type":"object","properties":{{{}}}}}}}}})",
      members));
}

CustomResourceDefinition WidgetsWithParts(std::string_view parts) {
  return WrittenDefinition(fmt::format(
      R"({{"metadata":{{"name":"widgets.example.com"}},"spec":{{"group":"example.com",)"
      R"("names":{{"plural":"widgets","kind":"Widget"}},"scope":"Namespaced","versions":[{{)"
      R"("name":"v1","served":true,"storage":true,"schema":{{"openAPIV3Schema":{{)"
      R"("type":"object","properties":{{"spec":{{"type":"object","properties":{{)"
      R"("color":{{"type":"string"}},"sizes":{{"type":"object","additionalProperties":{{)"
      R"("type":"integer"}}}},"any":{{"type":"object","additionalProperties":true}}}}}}}}}}}},{}}}]}}}})",
      parts));
}

std::vector<std::string> TextsOf(const std::vector<ErrorCause>& causes) {
  std::vector<std::string> texts;
  for (const ErrorCause& cause : causes) {
    texts.push_back(fmt::format("{}: {}", cause.field, cause.message));
  }
  return texts;
}

}  // namespace dray::custom::testing
