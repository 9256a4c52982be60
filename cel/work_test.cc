// SPDX-License-Identifier: Apache-2.0
// What evaluations are charged: it grows with what they do, and ends them.
#include "base/work.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cel/compile.h"
#include "cel/testing/work_cases.h"
#include "cel/value/arena.h"

namespace dray::cel {
namespace {

constexpr std::string_view kTooMuch = "operation cancelled: work limit exceeded";
const Environment kAny = {
    .purpose = Purpose::kFree, .consumable_capacity = true, .list_type_attributes = true};

Frozen<eval::Program> Compiled(std::string_view text) {
  auto program = CompileProgram(text, kAny);
  EXPECT_TRUE(program.has_value()) << text << "\n" << program.error().message;
  return program.has_value() ? *program : nullptr;
}

uint64_t SpentOn(const eval::Program& program, const testing::SizedDevice& device) {
  Work work(Work::kUnlimited);
  testing::Evaluate(program, device, work);
  return work.spent();
}

class WorkCaseTest : public ::testing::TestWithParam<testing::WorkCase> {};

// Four times the size is at least twice the work, so nothing that is done escapes.
TEST_P(WorkCaseTest, GrowsWithTheArgument) {
  const auto program = Compiled(GetParam().expression);
  ASSERT_NE(program, nullptr);
  constexpr size_t kSize = 8192;
  const testing::SizedDevice small(kSize / GetParam().divisor);
  const testing::SizedDevice large(4 * kSize / GetParam().divisor);
  EXPECT_GT(SpentOn(*program, large), 2 * SpentOn(*program, small)) << GetParam().expression;
}

// With all that it takes an evaluation ends as without a limit, with one unit less it does not.
TEST_P(WorkCaseTest, EndsAtTheLimit) {
  const auto program = Compiled(GetParam().expression);
  ASSERT_NE(program, nullptr);
  const testing::SizedDevice device(4096);
  Work unlimited(Work::kUnlimited);
  const std::string answer = testing::Evaluate(*program, device, unlimited);
  Work enough(unlimited.spent() + 1);
  EXPECT_EQ(testing::Evaluate(*program, device, enough), answer);
  Work too_little(unlimited.spent());
  EXPECT_EQ(testing::Evaluate(*program, device, too_little), kTooMuch) << GetParam().expression;
}

INSTANTIATE_TEST_SUITE_P(Functions,
                         WorkCaseTest,
                         ::testing::ValuesIn(testing::WorkCases().begin(),
                                             testing::WorkCases().end()),
                         [](const auto& info) {
                           std::string name;
                           for (const char c : info.param.name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
                           }
                           return fmt::format("{}_{}", info.index, name);
                         });

struct LyingCase {
  const char* name;
  const char* expression;
};

// Legal expressions that cost less than a million and would take minutes or more.
constexpr LyingCase kLyingCases[] = {
    {"EqualityOfSharedLists",
     "cel.bind(s, 'xxxxxxxxxx'.replace('x', 'xxxxxxxxxx').replace('x', 'xxxxxxxxxx'), "
     "cel.bind(row, lists.range(200).map(i, s), cel.bind(grid, lists.range(200).map(i, row), "
     "lists.range(9000).all(i, grid == lists.range(200).map(j, row)))))"},
    {"LookingForHalfOfAText",
     "cel.bind(s, 'xxxxxxxxxx'.replace('x', 'xxxxxxxxxx').replace('x', 'xxxxxxxxxx'), "
     "lists.range(90000).all(i, s.indexOf(s + 'y') < 0))"},
    {"ConvertingListsToMessages",
     "cel.bind(l, lists.range(60000), lists.range(9000).all(i, "
     "google.protobuf.ListValue{values: l} != [i]))"},
    {"ManyConstants",
     "lists.range(30000).all(i, [1,2,3,4,5,6,7,8,9,i,1,2,3,4,5,6,7,8,9,i,1,2,3,4,5,6,7,8,9,i,"
     "1,2,3,4,5,6,7,8,9,i,1,2,3,4,5,6,7,8,9,i,1,2,3,4,5,6,7,8,9,i].size() > 0)"},
};

TEST(CelWork, EndsWhatCostsLittleAndTakesLong) {
  const testing::SizedDevice device(16);
  for (const LyingCase& one : kLyingCases) {
    const auto program = Compiled(one.expression);
    ASSERT_NE(program, nullptr);
    Work work(10'000'000);
    EXPECT_EQ(testing::Evaluate(*program, device, work), kTooMuch) << one.name;
  }
}

TEST(CelWork, IsSharedByEvaluations) {
  const auto program = Compiled("device.driver.size() > 0");
  const testing::SizedDevice device(1024);
  Work work(10 * SpentOn(*program, device));
  int answers = 0;
  while (testing::Evaluate(*program, device, work) == "true") ++answers;
  EXPECT_EQ(answers, 9);
  EXPECT_EQ(testing::Evaluate(*program, device, work), kTooMuch) << "nothing comes back";
}

}  // namespace
}  // namespace dray::cel
