// SPDX-License-Identifier: Apache-2.0
#include "planning/explain/survey.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "api/resource_v1/slice.h"

namespace dray::planning::inline explain {
namespace {

namespace v1 = api::resource_v1;

/// Six devices of driver d: x is 0 to 5, even ones have y = x / 2.
class SurveyTest : public ::testing::Test {
 protected:
  SurveyTest() {
    devices_.resize(6);
    for (size_t i = 0; i < devices_.size(); ++i) {
      const auto number = static_cast<int64_t>(i);
      devices_[i].name = fmt::format("d{}", i);
      devices_[i].attributes["x"].int_ = number;
      if (i % 2 == 0) devices_[i].attributes["y"].int_ = number / 2;
    }
    for (const v1::Device& device : devices_) {
      published_.push_back({.driver = "d", .pool = "p", .node = "n", .device = &device});
    }
    published_[5].node = "m";
  }

  Survey Of(std::string_view source) const {
    const cel::Environment environment;
    const Expression expression = {.selector = cel::Selector::Compile(source, environment).value()};
    return SurveyDevices(expression, source, environment, published_, Conjunctive::kYes).value();
  }

  std::vector<v1::Device> devices_;
  std::vector<PublishedDevice> published_;
};

/// "true/false/error left without", one conjunct after the other.
std::string Table(const Survey& survey) {
  std::vector<std::string> rows;
  for (const ConjunctCount& one : survey.conjuncts) {
    rows.push_back(fmt::format("{}/{}/{} {} {}",
                               one.true_count,
                               one.false_count,
                               one.error_count,
                               one.left,
                               one.without_it));
  }
  return fmt::format("{}", fmt::join(rows, ", "));
}

TEST_F(SurveyTest, CountsMatchesByPool) {
  const Survey survey = Of("device.attributes['d'].x >= 4");
  EXPECT_EQ(survey.devices, 6U);
  EXPECT_EQ(survey.matching, (std::vector<size_t>{4, 5}));
  ASSERT_EQ(survey.pools.size(), 2U);
  EXPECT_EQ(survey.pools[0].devices, 5U);
  EXPECT_EQ(survey.pools[0].matching, 1U);
  EXPECT_EQ(survey.pools[1].node, "m");
  EXPECT_EQ(survey.pools[1].matching, 1U);
  EXPECT_GT(survey.cost_max, 0U);
}

TEST_F(SurveyTest, CountsEachFailureOnce) {
  const Survey survey = Of("device.attributes['d'].y > 0 || device.attributes['d'].x == 1");
  EXPECT_EQ(survey.matching, (std::vector<size_t>{1, 2, 4}));
  EXPECT_EQ(survey.failing, 2U);
  ASSERT_EQ(survey.failures.size(), 1U);
  EXPECT_TRUE(survey.failures[0].text.starts_with("no such key: y. consider"));
  EXPECT_EQ(survey.failures[0].count, 2U);
  EXPECT_EQ(survey.failures[0].first, 3U);
}

struct SurveyCase {
  const char* expression;
  const char* table;
  std::vector<size_t> responsible;
};

TEST_F(SurveyTest, ExplainsByConjuncts) {
  const std::vector<SurveyCase> cases = {
      {"device.attributes['d'].x >= 2 && device.attributes['d'].x < 4", "4/2/0 4 4, 4/2/0 2 4", {}},
      {"device.attributes['d'].x >= 2 && device.driver == 'e'", "4/2/0 4 0, 0/6/0 0 4", {1}},
      {"device.attributes['d'].x > 3 && device.attributes['d'].x < 2",
       "2/4/0 2 2, 2/4/0 0 2",
       {0, 1}},
      {"device.driver == 'e' && device.driver == 'f'", "0/6/0 0 0, 0/6/0 0 0", {}},
      {"device.driver == 'e' || device.driver == 'f'", "0/6/0 0 6", {}},
      {"device.attributes['d'].y == 1 && device.attributes['d'].x < 3", "1/2/3 1 3, 3/3/0 1 1", {}},
      // Each conjunct counts alone, so an error counts even if another conjunct is false.
      {"device.attributes['d'].z == 1 && device.driver == 'e'", "0/0/6 0 0, 0/6/0 0 0", {}},
  };
  for (const SurveyCase& one : cases) {
    const Survey survey = Of(one.expression);
    EXPECT_EQ(Table(survey), one.table) << one.expression;
    EXPECT_EQ(Responsible(survey), one.responsible) << one.expression;
  }
}

TEST_F(SurveyTest, ConjunctsKeepTheirErrors) {
  const Survey survey = Of("device.driver == 'e' && device.attributes['d'].z == 1");
  EXPECT_TRUE(survey.failures.empty());
  ASSERT_EQ(survey.conjuncts.at(1).errors.size(), 1U);
  EXPECT_EQ(survey.conjuncts[1].errors[0].count, 6U);
  EXPECT_EQ(survey.conjuncts[1].errors[0].text, "no such key: z");
}

TEST_F(SurveyTest, DerivedAttributesHaveValues) {
  const cel::Environment environment = {.purpose = cel::Purpose::kDerivedAttribute};
  const std::string_view source = "device.attributes['d'].y > 1";
  const Expression expression = {.derived =
                                     cel::DerivedAttribute::Compile(source, environment).value()};
  const Survey survey =
      SurveyDevices(expression, source, environment, published_, Conjunctive::kNo).value();
  EXPECT_EQ(survey.failing, 3U);
  ASSERT_EQ(survey.values.size(), 2U);
  EXPECT_EQ(survey.values[0].text, R"({"bool":false})");
  EXPECT_EQ(survey.values[0].count, 2U);
  EXPECT_EQ(survey.values[1].text, R"({"bool":true})");
  EXPECT_EQ(survey.values[1].first, 4U);
}

TEST_F(SurveyTest, NoDevicesAreNoTrouble) {
  published_.clear();
  const Survey survey = Of("device.driver == 'd' && device.attributes['d'].x == 1");
  EXPECT_EQ(survey.devices, 0U);
  EXPECT_EQ(Table(survey), "0/0/0 0 0, 0/0/0 0 0");
  EXPECT_TRUE(Responsible(survey).empty());
}

}  // namespace
}  // namespace dray::planning::inline explain
