// SPDX-License-Identifier: Apache-2.0
#include "api/text/go_quote.h"

#include <string_view>

#include <gtest/gtest.h>

namespace dray::api {
namespace {

TEST(GoQuote, EscapesAsGoDoes) {
  struct {
    std::string_view text, quoted;
  } const cases[] = {
      {"", R"("")"},
      {"a b/é", R"("a b/é")"},
      {"\"\\", R"("\"\\")"},
      {"\a\b\f\n\r\t\v", R"("\a\b\f\n\r\t\v")"},
      {std::string_view("\0\x1f\x7f", 3), R"("\x00\x1f\x7f")"},
      {"\xff\xc3", R"("\xff\xc3")"},
      {"\xed\xa0\x80", R"("\xed\xa0\x80")"},
      {"\xc0\xaf", R"("\xc0\xaf")"},
      {"\u00a0\u200b\ufeff", R"("\u00a0\u200b\ufeff")"},
      {"\U000e0001", R"("\U000e0001")"},
      {"\U0001f600", "\"\U0001f600\""},
  };
  for (const auto& c : cases) EXPECT_EQ(GoQuote(c.text), c.quoted);
}

}  // namespace
}  // namespace dray::api
