// SPDX-License-Identifier: Apache-2.0
#include "cel/derived_attribute.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/resource_v1/slice.h"
#include "cel/device.h"
#include "cel/device_activation.h"

namespace dray::cel {
namespace {

Environment EnvironmentOf(ExpressionUse use, bool lists) {
  return {.use = use, .purpose = Purpose::kDerivedAttribute, .list_type_attributes = lists};
}

std::string RenderDerived(std::string_view expression,
                          const Environment& environment = EnvironmentOf(ExpressionUse::kStored,
                                                                         true)) {
  const Device device = {.driver = "a.example",
                         .attributes = {{"index", int64_t{3}}, {"firmware", VersionText{"1.2.3"}}}};
  const DeviceActivation activation(device);
  const auto compiled = DerivedAttribute::Compile(expression, environment);
  if (!compiled.has_value()) return "refused: " + compiled.error().message;
  const DerivedValue value = compiled->Evaluate(activation);
  if (value.error() != nullptr) return "error: " + value.error()->message;
  std::string json;
  api::EncodeJson(
      api::Reflected<api::resource_v1::DeviceAttribute>::kType, value.attribute(), json);
  return json;
}

struct DerivedCase {
  const char* name;
  const char* expression;
  const char* want;
};

class DerivedAttributeTest : public ::testing::TestWithParam<DerivedCase> {};

TEST_P(DerivedAttributeTest, HasValue) {
  EXPECT_EQ(RenderDerived(GetParam().expression), GetParam().want);
}

constexpr DerivedCase kDerivedCases[] = {
    {"Bool", "1 < 2", R"({"bool":true})"},
    {"Int", "device.attributes['a.example'].index / 2", R"({"int":1})"},
    {"String", "device.driver + '/x'", R"({"string":"a.example/x"})"},
    {"Version", "device.attributes['a.example'].firmware", R"({"version":"1.2.3"})"},
    {"CanonicalVersion", "semver('v1.2', true)", R"({"version":"1.2.0"})"},
    {"TypeIsItsName", "dyn(type(1))", R"({"string":"int"})"},
    {"OptionalIsItsValue", "dyn(optional.of(1))", R"({"int":1})"},
    {"Bools", "[true, false]", R"({"bools":[true,false]})"},
    {"Versions", "[semver('1.0.0')]", R"({"versions":["1.0.0"]})"},
    {"NoSuchKey", "device.attributes['a.example'].x", "error: no such key: x"},
    {"Null", "dyn(null)", "error: unsupported CEL return type: structpb.NullValue"},
    {"Uint", "dyn(1u)", "error: unsupported CEL return type: uint64"},
    {"Map", "dyn({'a': 1})", "error: unsupported CEL return type: map[ref.Val]ref.Val"},
    {"None", "dyn(optional.none())", "error: unsupported CEL return type: <nil>"},
    {"ListOfDoubles", "[dyn(1.0)]", "error: unsupported list element type: float64"},
    {"MixedList",
     "[dyn('a'), dyn(1)]",
     "error: expected list element at index 1 to be string, got int64"},
    {"Double",
     "1.0",
     "refused: must evaluate to a primitive scalar (string, integer, boolean, semver) or a list of "
     "these scalars, not double"},
    {"ListOfLists",
     "[[1]]",
     "refused: must evaluate to a primitive scalar (string, integer, boolean, semver) or a list of "
     "these scalars, not list(list(int))"},
};
INSTANTIATE_TEST_SUITE_P(Values,
                         DerivedAttributeTest,
                         ::testing::ValuesIn(kDerivedCases),
                         [](const auto& info) { return info.param.name; });

TEST(DerivedAttributeTypes, EmptyListsAreOfStrings) {
  const DeviceActivation activation(Device{.driver = "a.example"});
  const auto compiled =
      DerivedAttribute::Compile("[]", EnvironmentOf(ExpressionUse::kStored, true));
  ASSERT_TRUE(compiled.has_value());
  const DerivedValue value = compiled->Evaluate(activation);
  ASSERT_NE(value.attribute(), nullptr);
  EXPECT_TRUE(value.attribute()->strings.present());
  EXPECT_EQ(*value.attribute(), api::resource_v1::DeviceAttribute());
}

TEST(DerivedAttributeTypes, NewListsNeedTheGate) {
  EXPECT_EQ(RenderDerived("[1]", EnvironmentOf(ExpressionUse::kNew, true)), R"({"ints":[1]})");
  EXPECT_EQ(RenderDerived("[1]", EnvironmentOf(ExpressionUse::kStored, false)), R"({"ints":[1]})");
  EXPECT_EQ(RenderDerived("[1]", EnvironmentOf(ExpressionUse::kNew, false)),
            "refused: must evaluate to a primitive scalar (string, integer, boolean, semver), not "
            "list(int)");
}

TEST(DerivedAttributeLimits, CostEndsTheEvaluation) {
  Environment environment = EnvironmentOf(ExpressionUse::kStored, true);
  environment.cost_max = 3;
  EXPECT_EQ(RenderDerived("device.attributes['a.example'].index", environment),
            "error: operation cancelled: actual cost limit exceeded");
}

TEST(DerivedAttributeLimits, EstimateIsThatOfTheExpression) {
  const auto compiled = DerivedAttribute::Compile("[1, 2, 3].map(x, x * 2)",
                                                  EnvironmentOf(ExpressionUse::kStored, true));
  ASSERT_TRUE(compiled.has_value());
  EXPECT_EQ(compiled->EstimatedCost(), (cost::CostRange{63, 63}));
}

TEST(DerivedAttributeLimits, ValuesAreSmall) {
  constexpr const char* kTooLarge = "error: derived attribute is larger than 16384 bytes";
  EXPECT_TRUE(RenderDerived("lists.range(1024)").starts_with(R"({"ints":[0,1)"));
  EXPECT_EQ(RenderDerived("lists.range(1025)"), kTooLarge);
  const std::string most(kDerivedBytesMax / 8 - 2, 'x');  // 16 bytes for the value itself
  const std::string eight = "'" + most + "'.replace('x', 'xxxxxxxx')";
  EXPECT_TRUE(RenderDerived(eight).starts_with(R"({"string":"x)"));
  EXPECT_EQ(RenderDerived(eight + " + 'x'"), kTooLarge);
}

}  // namespace
}  // namespace dray::cel
