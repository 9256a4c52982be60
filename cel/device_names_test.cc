// SPDX-License-Identifier: Apache-2.0
#include "cel/device_names.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "cel/compile.h"
#include "cel/device.h"

namespace dray::cel {
namespace {

std::string Joined(const std::vector<DeviceName>& names) {
  std::vector<std::string> texts;
  for (const DeviceName& name : names) {
    const char sign = name.section == DeviceSection::kAttributes ? '@' : '#';
    texts.push_back(fmt::format("{}{}/{}", sign, name.domain, name.id));
  }
  return fmt::format("{}", fmt::join(texts, " "));
}

struct NameCase {
  const char* name;
  const char* expression;
  const char* want;  // @domain/attribute, #domain/capacity
};

constexpr NameCase kNameCases[] = {
    {"None", "device.driver == 'd'", ""},
    {"Attribute", "device.attributes['d'].x == 1", "@d/x"},
    {"Index", "device.attributes['d']['x-y'] == 1", "@d/x-y"},
    {"Capacity", "device.capacity['d'].m.isGreaterThan(quantity('1'))", "#d/m"},
    {"SelectedDomain", "device.attributes.d.x == 1", "@d/x"},
    {"OnlyTheDomain", "'d' in device.attributes && size(device.attributes['d']) > 0", ""},
    {"Has", "has(device.attributes['d'].x)", "@d/x"},
    {"In", "'x' in device.attributes['d']", "@d/x"},
    {"Optional", "device.attributes[?'d'].?x.orValue('') == 'y'", "@d/x"},
    {"BehindOrValue", "device.attributes[?'d'].orValue({}).x == 1", "@d/x"},
    {"BehindValue", "device.attributes[?'d'].value().x == 1", "@d/x"},
    {"Bound", "cel.bind(a, device.attributes['d'], a.x == 1 && a['y'] == 2)", "@d/x @d/y"},
    {"BoundInBound", "cel.bind(d, device, cel.bind(a, d.attributes, a['d'].x == 1))", "@d/x"},
    {"Mapped", "device.attributes[?'d'].optMap(a, a.x == 1).orValue(false)", "@d/x"},
    {"Hidden", "[{'attributes': {'d': {'x': 1}}}].all(device, device.attributes['d'].x == 1)", ""},
    {"Twice", "device.attributes['d'].x == 1 || device.attributes['d'].x == 2", "@d/x"},
    {"Computed", "device.attributes[device.driver]['x'] == 1", ""},
    {"ComputedId", "device.attributes['d'][device.driver] == 1", ""},
    {"DeepInside", "[1, 2].exists(i, device.attributes['d'].x == i)", "@d/x"},
    {"OfAVersion", "device.attributes['d'].v.isGreaterThan(semver('1.0.0'))", "@d/v"},
};

class DeviceNamesTest : public ::testing::TestWithParam<NameCase> {};

TEST_P(DeviceNamesTest, AreFound) {
  const auto program = CompileProgram(GetParam().expression, {});
  ASSERT_TRUE(program.has_value()) << program.error().message;
  EXPECT_EQ(Joined(NamesIn((*program)->checked())), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(, DeviceNamesTest, ::testing::ValuesIn(kNameCases), [](const auto& info) {
  return std::string(info.param.name);
});

TEST(DeviceNames, OfADeviceHaveADomain) {
  const Device device{
      .driver = "d",
      .attributes = {{"x", int64_t{1}}, {"d/x", int64_t{2}}, {"other/y", int64_t{3}}},
      .capacity = {{"m", nullptr}}};
  EXPECT_EQ(Joined(NamesOf(device)), "@d/x @other/y #d/m");
}

TEST(DeviceNames, ReadAsExpressionsWriteThem) {
  EXPECT_EQ((DeviceName{DeviceSection::kAttributes, "d.example", "x"}).ToExpression(),
            "device.attributes[\"d.example\"].x");
  EXPECT_EQ((DeviceName{DeviceSection::kCapacity, "d", "x-y"}).ToExpression(),
            "device.capacity[\"d\"][\"x-y\"]");
  EXPECT_EQ((DeviceName{DeviceSection::kCapacity, "d", ""}).ToExpression(),
            "device.capacity[\"d\"][\"\"]");
}

std::string Compared(const char* expression) {
  const auto program = CompileProgram(expression, Environment{});
  if (!program.has_value()) return program.error().message;
  std::vector<std::string> texts;
  for (const NamedComparison& comparison : ComparisonsIn((*program)->checked())) {
    const std::string literal =
        std::visit([](const auto& value) { return fmt::format("{}", value); }, comparison.literal);
    texts.push_back(fmt::format("{}/{} {}", comparison.name.domain, comparison.name.id, literal));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

TEST(DeviceNames, AreComparedWithLiterals) {
  EXPECT_EQ(Compared("device.attributes['d'].x == 1 && 'a' != device.attributes['d'].y"),
            "d/x 1, d/y a");
  EXPECT_EQ(Compared("device.attributes['d'].x in ['a', 'b']"), "d/x a, d/x b");
  EXPECT_EQ(Compared("cel.bind(a, device.attributes['d'], a.x == true || a.y < 1.5)"),
            "d/x true, d/y 1.5");
  EXPECT_EQ(Compared("device.attributes['d'].?x.orValue('') == 'a'"), "d/x a");
  EXPECT_EQ(Compared("device.driver == 'a' || 'x' in device.attributes['d']"), "");
}

TEST(DeviceNames, AreTestedFor) {
  const auto program = CompileProgram(
      "has(device.attributes['d'].a) && 'b' in device.attributes['d'] && "
      "device.capacity['d'].?c.hasValue() && device.attributes['d'].e == 1",
      Environment{});
  ASSERT_TRUE(program.has_value());
  EXPECT_EQ(Joined(TestedNamesIn((*program)->checked())), "@d/a @d/b #d/c");
}

}  // namespace
}  // namespace dray::cel
