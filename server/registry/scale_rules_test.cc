// SPDX-License-Identifier: Apache-2.0
#include "server/registry/scale_rules.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "api/codec/tree_json.h"

namespace dray::server::registry {
namespace {

std::string NumberAt(std::string_view json, std::string_view path) {
  const Result<std::optional<int64_t>> number = NestedNumber(*api::ReadTree(json), path);
  if (!number.has_value()) return number.error().message;
  return number->has_value() ? std::to_string(**number) : "nothing";
}

TEST(ScaleRules, NumbersStandAtTheirPaths) {
  EXPECT_EQ(NumberAt(R"({"spec":{"n":3}})", ".spec.n"), "3");
  EXPECT_EQ(NumberAt(R"({"spec":{}})", ".spec.n"), "nothing");
  EXPECT_EQ(NumberAt(R"({"spec":null})", ".spec.n"), "nothing");
  EXPECT_EQ(NumberAt(R"({"spec":{"n":{"a":"x"}}})", ".spec.n"),
            ".spec.n accessor error: map[a:x] is of the type map[string]interface {}, expected "
            "int64");
  EXPECT_EQ(NumberAt(R"({"spec":"text"})", ".spec.n"),
            ".spec.n accessor error: text is of the type string, expected map[string]interface{}");
}

TEST(ScaleRules, AreThoseOfAVersionWithAScale) {
  api::apiextensions_v1::CustomResourceDefinitionVersion version;
  const api::Tree object = *api::ReadTree(R"({"spec":{"n":-1},"status":{"n":3000000000}})");
  EXPECT_TRUE(CheckScaleSpec(object, version).empty());
  auto& scale = version.subresources.emplace().scale.emplace();
  scale.spec_replicas_path = ".spec.n";
  scale.status_replicas_path = ".status.n";
  scale.label_selector_path = ".status.n";
  ASSERT_EQ(CheckScaleSpec(object, version).size(), 1U);
  EXPECT_EQ(CheckScaleSpec(object, version)[0].message,
            "Invalid value: -1: should be a non-negative integer");
  ASSERT_EQ(CheckScaleStatus(object, version).size(), 2U);
  EXPECT_EQ(CheckScaleStatus(object, version)[0].message,
            "Invalid value: 3000000000: should be less than or equal to 2147483647");
}

}  // namespace
}  // namespace dray::server::registry
