// SPDX-License-Identifier: Apache-2.0
// Valid history files, and the errors for invalid ones.
#include "tests/history/history_text.h"

#include <string>
#include <string_view>
#include <variant>

#include <gtest/gtest.h>

#include "base/result.h"
#include "tests/history/history.h"

namespace dray::history {
namespace {

TEST(HistoryText, KeepsEveryByteOfAString) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  History history;
  history.held.push_back({.key = bytes, .value = bytes, .version = 1});
  const Result<History> again = ParseHistory(ToText(history));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(again->held, history.held);
}

TEST(HistoryText, ACallWithoutAnswerIsUnknown) {
  const Result<History> history =
      ParseHistory("dray-history 1\nfirst 1\n5 call 0 0 write delete \"/a\"\n6 done 5 at 2 no");
  ASSERT_TRUE(history.has_value()) << history.error().message;
  ASSERT_EQ(history->operations.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<Unknown>(history->operations[0].answer));
}

struct Mistake {
  std::string_view text;
  std::string_view message;
};

class HistoryTextMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(HistoryTextMistake, IsNamedWithItsLine) {
  const Result<History> history = ParseHistory(GetParam().text);
  ASSERT_FALSE(history.has_value());
  EXPECT_EQ(history.error().message, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    HistoryTextMistake,
    ::testing::Values(
        Mistake{"", "history: line 1: it is empty"},
        Mistake{"hello\n", "history: line 1: \"hello\" where \"dray-history\" should stand"},
        Mistake{"dray-history 2\n", "history: line 1: version 2 is not known, only 1"},
        Mistake{"dray-history 1\nfirst x\n", "history: line 2: \"x\" is no number"},
        Mistake{"dray-history 1\n5 call 0 0 sing\n", "history: line 2: request \"sing\""},
        Mistake{"dray-history 1\n5 call 0 0 get \"/a\n", "history: line 2: a string does not end"},
        Mistake{"dray-history 1\n5 call 0 0 get \"\\x0\"\n",
                "history: line 2: a backslash without xHH"},
        Mistake{"dray-history 1\n5 call 0 0 get \"/a\" soon\n",
                "history: line 2: freshness \"soon\""},
        Mistake{"dray-history 1\n5 call 0 0 get \"/a\" local 7\n",
                "history: line 2: more than expected"},
        Mistake{"dray-history 1\n5 seen 4 at 2\n", "history: line 2: no call 4"},
        Mistake{"dray-history 1\n5 events 4\n", "history: line 2: no watch 4"},
        Mistake{"dray-history 1\n5 call 0 0 write\n5 call 0 0 write\n",
                "history: line 3: moment 5 twice"},
        Mistake{"dray-history 1\n5 call 0 0 write\n6 sung 5\n",
                "history: line 3: \"sung\" is nothing that happens"}));

}  // namespace
}  // namespace dray::history
