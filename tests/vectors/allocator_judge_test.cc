// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/allocator_judge.h"

#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace dray::vectors {
namespace {

namespace json = boost::json;

struct JudgeCase {
  std::string_view expected, got;
  bool is_equal;
};

TEST(AllocatorJudge, ComparesAsTheVectorsSay) {
  constexpr std::string_view kA = R"({"outcome":"allocated","results":["a"]})";
  constexpr std::string_view kNone = R"({"outcome":"none"})";
  const JudgeCase cases[] = {
      {kA, kA, true},
      {kA, R"({"outcome":"allocated","results":["b"]})", false},
      {kA, kNone, false},
      {kNone, R"({"outcome":"undecided"})", false},
      {R"({"outcome":"timeout"})", kNone, true},
      {R"({"outcome":"timeout"})", R"({"outcome":"undecided"})", true},
      {R"({"outcome":"crash","error":"nil"})", R"({"outcome":"error","error":"claim c"})", true},
      {R"({"outcome":"crash","error":"nil"})", kNone, false},
      // Random in upstream: the answer for pools in the order of their names, if that is known.
      {R"({"seen":[{"outcome":"none"},{"outcome":"allocated","results":["a"]}],"sorted":1})",
       kA,
       true},
      {R"({"seen":[{"outcome":"none"},{"outcome":"allocated","results":["a"]}],"sorted":1})",
       kNone,
       false},
      {R"({"seen":[{"outcome":"none"},{"outcome":"allocated","results":["a"]}]})", kNone, true},
      {R"({"seen":[{"outcome":"none"}]})", kA, false},
      // Errors: only the class and the named objects are compared, not the text.
      {R"({"outcome":"error","error":"claim a/b, request r: x"})",
       R"({"outcome":"error","error":"in claim a/b, request r: y"})",
       true},
      {R"({"outcome":"error","error":"claim a/b, request r: x"})",
       R"({"outcome":"error","error":"claim a/b, request s: x"})",
       false},
      {R"({"outcome":"error","error":"class c: selector #1 on device d/p/x: CEL runtime error: e"})",
       R"({"outcome":"error","error":"class c: selector #1 on device d/p/y: CEL runtime error: e"})",
       false},
      {R"({"outcome":"error","error":"x"})", R"({"outcome":"node-error","error":"x"})", false},
  };
  for (const JudgeCase& c : cases) {
    const std::string difference =
        Difference(json::parse(c.expected).as_object(), json::parse(c.got).as_object());
    EXPECT_EQ(difference.empty(), c.is_equal) << c.expected << " " << c.got << " " << difference;
  }
}

TEST(AllocatorJudge, FindsTheAnswerOfALabel) {
  const json::value outcome = json::parse(
      R"({"answers":[{"profiles":["a","b"],"outcome":"none"},{"profiles":["c"],"outcome":"error"}],
          "steps":[{"profiles":["b"],"steps":7}]})");
  const Expected expected(outcome.as_object());
  ASSERT_NE(expected.AnswerOf("b"), nullptr);
  EXPECT_EQ(expected.AnswerOf("b")->at("outcome").as_string(), "none");
  EXPECT_EQ(expected.AnswerOf("d"), nullptr);
  EXPECT_EQ(expected.StepsOf("b"), 7);
  EXPECT_EQ(expected.StepsOf("a"), std::nullopt);
}

TEST(AllocatorJudge, WritesAnswersAsTheVectorsHaveThem) {
  allocator::Allocation allocation;
  auto& result = allocation.results.emplace_back();
  for (const char* share : {"uid-2", "uid-1", "uid-2"}) {
    auto& device = result.devices.results.emplace_back();
    device.share_id = share;
    device.consumed_capacity["m"] = *api::Quantity::Parse("1000E");
  }
  const json::object answer = AnswerJson(allocator::Outcome(allocation), api::Release::kNewest);
  const json::array& devices =
      answer.at("results").as_array()[0].at("devices").at("results").as_array();
  EXPECT_EQ(devices[0].at("shareID").as_string(), "S1");
  EXPECT_EQ(devices[1].at("shareID").as_string(), "S2");
  EXPECT_EQ(devices[2].at("shareID").as_string(), "S1");
  EXPECT_EQ(devices[0].at("consumedCapacity").at("m").as_string(), "1");
}

}  // namespace
}  // namespace dray::vectors
