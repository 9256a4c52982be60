// SPDX-License-Identifier: Apache-2.0
// Recordings of a wrong shape are refused with the place, so readers need no checks of their own.
#include "tests/vectors/shape.h"

#include <string>
#include <string_view>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace dray::vectors {
namespace {

constexpr ShapeRule kRules[] = {
    {"", Shape::kObject},
    {"/name", Shape::kText, true},
    {"/steps", Shape::kList},
    {"/steps/*", Shape::kObject},
    {"/steps/*/seconds", Shape::kNumber, true},
    {"/steps/*/count", Shape::kWholeNumber},
    {"/headers/*", Shape::kTextOrTexts},
};

std::string WrongIn(std::string_view text) {
  const Result<boost::json::value> value = ReadJson(text);
  if (!value) return value.error().message;
  const Result<> checked = CheckShape(*value, kRules);
  return checked ? "" : checked.error().message;
}

TEST(VectorShape, TheFirstWrongPlaceIsNamed) {
  static constexpr struct {
    std::string_view text, wrong;
  } kCases[] = {
      {R"({"name":"a"})", ""},
      {R"({"name":"a","steps":[{"seconds":1},{"seconds":1.5,"count":2.0}]})", ""},
      {R"({"name":"a","headers":{"A":"b","C":["d","e"]}})", ""},
      {"[]", ": must be an object"},
      {"{}", "/name: is missing"},
      {R"({"name":1})", "/name: must be a text"},
      {R"({"name":"a","steps":{}})", "/steps: must be a list"},
      {R"({"name":"a","steps":[{"seconds":1},[]]})", "/steps/1: must be an object"},
      {R"({"name":"a","steps":[{}]})", "/steps/0/seconds: is missing"},
      {R"({"name":"a","steps":[{"seconds":"1"}]})", "/steps/0/seconds: must be a number"},
      {R"({"name":"a","steps":[{"seconds":1,"count":1.5}]})",
       "/steps/0/count: must be a whole number"},
      {R"({"name":"a","headers":{"A":["b",1]}})", "/headers/A: must be a text or a list of texts"},
  };
  for (const auto& one : kCases) EXPECT_EQ(WrongIn(one.text), one.wrong) << one.text;
}

TEST(VectorShape, TextThatIsNoJsonIsNamedByItsLine) {
  EXPECT_EQ(WrongIn("{\n \"name\": x"), "line 2: syntax error");
  EXPECT_EQ(WrongIn("{\n\n \"name\": \"a\""), "line 3: incomplete JSON");
  EXPECT_EQ(WrongIn("{\"name\":\"a\"}\n{}"), "line 2: extra data");
  EXPECT_EQ(WrongIn(""), "line 1: incomplete JSON");
  EXPECT_EQ(WrongIn("{\"name\":\"a\"}\n \n"), "");
}

TEST(VectorShape, NumbersAreReadHoweverTheyAreWritten) {
  for (const std::string_view two : {"2", "2.0", "2e0"}) {
    EXPECT_EQ(NumberOf(boost::json::parse(two)), 2.0) << two;
  }
  EXPECT_EQ(NumberOf(boost::json::parse("1.25")), 1.25);
  EXPECT_EQ(NumberOf(boost::json::parse("18446744073709551615")), 18446744073709551615.0);
}

}  // namespace
}  // namespace dray::vectors
