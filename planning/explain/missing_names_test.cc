// SPDX-License-Identifier: Apache-2.0
#include "planning/explain/missing_names.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace dray::planning::inline explain {
namespace {

using cel::DeviceName;
using cel::DeviceSection;

DeviceName Attribute(std::string domain, std::string id) {
  return {DeviceSection::kAttributes, std::move(domain), std::move(id)};
}

/// Three devices of gpu.example.com with a model, one of them with a rack of its vendor's domain,
/// and one of nic.example.com.
Survey Sample() {
  Survey survey;
  const cel::Device gpu{.driver = "gpu.example.com",
                        .attributes = {{"model", int64_t{1}}, {"productName", int64_t{1}}},
                        .capacity = {{"memory", nullptr}}};
  cel::Device racked = gpu;
  racked.attributes.push_back({"vendor.example.com/rack", int64_t{1}});
  survey.names.Add(gpu);
  survey.names.Add(gpu);
  survey.names.Add(racked);
  survey.names.Add({.driver = "nic.example.com", .attributes = {{"speed", int64_t{1}}}});
  survey.devices = 4;
  return survey;
}

struct Case {
  const char* name;
  DeviceName wanted;
  const char* want;
};

class NearTest : public ::testing::TestWithParam<Case> {};

TEST_P(NearTest, IsSuggested) {
  std::vector<std::string> near;
  for (const CountedName& one : Sample().names.Near(GetParam().wanted)) {
    near.push_back(fmt::format("{} {}", one.name.ToExpression(), one.devices));
  }
  EXPECT_EQ(fmt::format("{}", fmt::join(near, ", ")), GetParam().want);
}

const Case kCases[] = {
    {"Mistyped",
     Attribute("gpu.example.com", "modle"),
     "device.attributes[\"gpu.example.com\"].model 3"},
    {"WrongCase",
     Attribute("gpu.example.com", "productname"),
     "device.attributes[\"gpu.example.com\"].productName 3"},
    {"WrongDomain",
     Attribute("gpu.example.com", "rack"),
     "device.attributes[\"vendor.example.com\"].rack 1"},
    {"MistypedDomain",
     Attribute("gpu.exampel.com", "model"),
     "device.attributes[\"gpu.example.com\"].model 3"},
    {"BothMistyped",
     Attribute("gpu.exampel.com", "modell"),
     "device.attributes[\"gpu.example.com\"].model 3"},
    {"WrongSection",
     Attribute("gpu.example.com", "memory"),
     "device.capacity[\"gpu.example.com\"].memory 3"},
    {"NothingLikeIt", Attribute("gpu.example.com", "temperature"), ""},
    {"ShortNamesAreNotAlike", Attribute("gpu.example.com", "x"), ""},
    {"ExistsSoNothingElseIsMeant", Attribute("gpu.example.com", "model"), ""},
};

INSTANTIATE_TEST_SUITE_P(, NearTest, ::testing::ValuesIn(kCases), [](const auto& info) {
  return std::string(info.param.name);
});

TEST(Missing, IsWhatTheMessageIsAbout) {
  const Survey survey = Sample();
  const std::vector names = {Attribute("gpu.example.com", "mod"),
                             Attribute("gpu.example.com", "model"),
                             Attribute("none.example.com", "model")};
  const auto ids = [&](std::string_view message) {
    std::vector<std::string> texts;
    for (const MissingName& one : MissingIn(message, names, survey)) {
      texts.push_back(fmt::format("{}:{}", one.name.domain, one.devices));
    }
    return fmt::format("{}", fmt::join(texts, " "));
  };
  EXPECT_EQ(ids("no such key: model"), "gpu.example.com:3 none.example.com:0");
  EXPECT_EQ(ids("no such key: mod. consider using has()"), "gpu.example.com:0");
  EXPECT_EQ(ids("no such key: models"), "");
  EXPECT_EQ(ids("no such overload"), "");
}

TEST(Missing, IsSaidWithNumbers) {
  EXPECT_EQ(MissingIn("no such key: x", std::vector{Attribute("d", "x")}, Sample()).at(0).ToText(),
            "device.attributes[\"d\"].x exists on 0 of 4 devices");
  EXPECT_EQ(
      MissingIn("no such key: modle", std::vector{Attribute("gpu.example.com", "modle")}, Sample())
          .at(0)
          .ToText(),
      "device.attributes[\"gpu.example.com\"].modle exists on 0 of 4 devices, did you mean "
      "device.attributes[\"gpu.example.com\"].model (on 3)?");
}

TEST(Missing, QuietlyIsWhatNoFailureTold) {
  Survey survey = Sample();
  const std::vector names = {Attribute("gpu.example.com", "modle"),
                             Attribute("d", "x"),
                             Attribute("gpu.example.com", "model")};
  EXPECT_EQ(MissingQuietly(names, survey).size(), 2U);
  survey.failures.push_back({.text = "no such key: x", .count = 1, .first = 0});
  ASSERT_EQ(MissingQuietly(names, survey).size(), 1U);
  EXPECT_EQ(MissingQuietly(names, survey)[0].name.id, "modle");
  survey.devices = 0;
  EXPECT_TRUE(MissingQuietly(names, survey).empty());
}

}  // namespace
}  // namespace dray::planning::inline explain
