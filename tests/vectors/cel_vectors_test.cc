// SPDX-License-Identifier: Apache-2.0
// Expressions with the results of upstream's code of several releases, and the conformance tests of
// cel-spec: a selection in tests/data, all of them if a folder has them.
#include "tests/vectors/cel_vectors.h"

#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/world.h"
#include "tests/vectors/case_files.h"
#include "tests/vectors/cel_values.h"
#include "tests/vectors/shared_folder.h"

namespace dray::vectors {
namespace {

namespace json = boost::json;

constexpr char kFolder[] = DRAY_SOURCE_DIR "/tests/data/vectors/cel";

std::vector<std::string> FilesIn(const std::string& folder) {
  return VectorFilesIn(RealWorld().disk, folder, ".json").value_or(std::vector<std::string>());
}

void ExpectAllPass(const std::vector<std::string>& files) {
  const Result<Report> report = RunCelVectors(RealWorld().disk, files, {});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  for (const std::string& failure : report->failures) ADD_FAILURE() << failure;
  EXPECT_GT(report->passed, 0U);
}

TEST(CelVectors, AnswersAreUpstreams) {
  ExpectAllPass(FilesIn(kFolder));
}

// The conformance tests of cel-spec and the declarations: larger than a choice, not in the
// repository.
TEST(CelVectors, LanguageIsCelSpecs) {
  std::vector<std::string> files = FilesIn(SharedFolder() + "/vectors/cel");
  std::erase_if(files, [](const std::string& path) {
    const std::string name = path.substr(path.rfind('/') + 1);
    return RealWorld().disk.Read(fmt::format("{}/{}.gz", kFolder, name)).has_value();
  });
  if (files.empty()) GTEST_SKIP() << "no cel-spec: set DRAY_SHARED to a folder that has vectors";
  ExpectAllPass(files);
}

// The failures of one case of a file with two releases, by the expectation of the case.
std::vector<std::string> FailuresOf(std::string_view expression, std::string_view expect) {
  const std::string file = ::testing::TempDir() + "/one.json";
  const std::string text = fmt::format(
      R"json({{"format": "k8s-measured/1",
        "measured_with": {{"baseline": "Kubernetes 1.36 (…)", "versions": {{"1.37": "…"}}}},
        "devices": {{"none": {{"driver": "d"}}}},
        "cases": [{{"id": "one", "expr": "{}", "device": "none", "expect": {}}}]}})json",
      expression,
      expect);
  EXPECT_TRUE(RealWorld().disk.Write(file, text, Disk::Privacy::kEverybody).has_value());
  const Result<Report> report = RunCelVectors(RealWorld().disk, {file}, {});
  EXPECT_TRUE(report.has_value());
  return report ? report->failures : std::vector<std::string>();
}

// Checks that a case with a different answer is reported; otherwise passing would prove nothing.
TEST(CelAnswers, DifferencesAreTold) {
  struct Wrong {
    std::string_view expression;
    std::string_view expect;
    std::string_view failure;
  };
  const Wrong cases[] = {
      {"1", R"({"outcome": "value", "value": {"type": "uint", "value": "1"}})", "want"},
      {"1", R"({"outcome": "runtime_error", "error": "no"})", "want runtime_error no"},
      {"1", R"({"outcome": "value", "type": "uint"})", "type int, want uint"},
      {"1 + 1", R"({"outcome": "value", "runtime_cost": "2"})", "cost 1, want 2"},
      {"1 / 0", R"({"outcome": "runtime_error", "error": "overflow"})", "error division by zero"},
      {"x", R"({"outcome": "compile_error", "message": "no"})", "undeclared reference to 'x'"},
  };
  for (const Wrong& one : cases) {
    const std::vector<std::string> failures = FailuresOf(one.expression, one.expect);
    ASSERT_EQ(failures.size(), 2U) << one.expression;  // one per release
    EXPECT_TRUE(failures[0].starts_with("one in 1.36: ")) << failures[0];
    EXPECT_TRUE(failures[1].starts_with("one in 1.37: ")) << failures[1];
    EXPECT_TRUE(failures[0].contains(one.failure)) << failures[0];
  }
}

TEST(CelAnswers, EqualOnesPass) {
  EXPECT_TRUE(
      FailuresOf("1", R"({"outcome": "value", "value": {"type": "int", "value": "1"}})").empty());
  EXPECT_TRUE(FailuresOf("1 +", R"({"outcome": "compile_error",
      "message": "ERROR: <input>:1:4: Syntax error: in other words"})")
                  .empty());
}

std::string TextOfDuration(int64_t nanoseconds) {
  return std::string(Tagged(cel::Value::Duration(nanoseconds)).at("value").as_string());
}

TEST(CelValues, DurationsAreInTheFormOfGo) {
  EXPECT_EQ(TextOfDuration(0), "0s");
  EXPECT_EQ(TextOfDuration(1), "1ns");
  EXPECT_EQ(TextOfDuration(1'500), "1.5µs");
  EXPECT_EQ(TextOfDuration(-20'000'000), "-20ms");
  EXPECT_EQ(TextOfDuration(1'000'000'000), "1s");
  EXPECT_EQ(TextOfDuration(60'100'000'000), "1m0.1s");
  EXPECT_EQ(TextOfDuration(INT64_MIN), "-2562047h47m16.854775808s");
}

TEST(CelValues, TimestampsAreInUtc) {
  const cel::Timestamp time = {.seconds = -1, .nanoseconds = 500'000'000, .offset_seconds = 3600};
  EXPECT_EQ(Tagged(cel::Value::Timestamp(&time)).at("value"), "1969-12-31T23:59:59.5Z");
}

TEST(CelValues, WhatIsWrittenIsRead) {
  for (const char* const text :
       {R"({"type": "null"})",
        R"({"type": "bool", "value": true})",
        R"({"type": "int", "value": "-9223372036854775808"})",
        R"({"type": "uint", "value": "18446744073709551615"})",
        R"({"type": "double", "value": "5e-324"})",
        R"({"type": "double", "value": "-Infinity"})",
        R"({"type": "bytes", "value": "AP8="})",
        R"({"type": "list", "value": [{"type": "string", "value": "é"}]})",
        R"({"type": "map", "value": [[{"type": "int", "value": "1"}, {"type": "null"}]]})",
        R"({"type": "duration", "value": "-1.5s", "seconds": "-1", "nanos": -500000000})"}) {
    const json::value tagged = json::parse(text);
    cel::Arena arena;
    const Result<cel::Value> value = ReadTagged(tagged.as_object(), arena);
    ASSERT_TRUE(value.has_value()) << text;
    EXPECT_TRUE(SameTagged(Tagged(*value), tagged)) << json::serialize(Tagged(*value));
  }
}

bool IsSame(std::string_view a, std::string_view b) {
  return SameTagged(json::parse(a), json::parse(b));
}

TEST(CelValues, SameMeansSameTypeAndValue) {
  EXPECT_FALSE(IsSame(R"({"type": "int", "value": "1"})", R"({"type": "double", "value": "1"})"));
  EXPECT_TRUE(
      IsSame(R"({"type": "double", "value": "1e3"})", R"({"type": "double", "value": "1000.0"})"));
  EXPECT_TRUE(
      IsSame(R"({"type": "double", "value": "NaN"})", R"({"type": "double", "value": "NaN"})"));
  EXPECT_FALSE(
      IsSame(R"({"type": "double", "value": "-0.0"})", R"({"type": "double", "value": "0.0"})"));
  EXPECT_TRUE(IsSame(R"({"type": "quantity", "value": "1Ki"})",
                     R"({"type": "quantity", "value": "1024"})"));
  EXPECT_FALSE(
      IsSame(R"({"type": "optional"})", R"({"type": "optional", "value": {"type": "null"}})"));
  const char* const forward =
      R"({"type": "map", "value": [[{"type": "int", "value": "1"}, {"type": "null"}],
                                   [{"type": "int", "value": "2"}, {"type": "null"}]]})";
  const char* const backward =
      R"({"type": "map", "value": [[{"type": "int", "value": "2"}, {"type": "null"}],
                                   [{"type": "int", "value": "1"}, {"type": "null"}]]})";
  EXPECT_TRUE(IsSame(forward, backward));
}

}  // namespace
}  // namespace dray::vectors
