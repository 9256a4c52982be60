// SPDX-License-Identifier: Apache-2.0
#include "server/http/warning_header.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dray::server::http {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

std::vector<std::string> Headers(const std::vector<std::string>& texts) {
  return WarningHeaders(texts);
}

TEST(WarningHeader, QuotesAndKeepsEachTextOnce) {
  EXPECT_THAT(Headers({"unknown field \"a\\b\"", "x", "x", ""}),
              ElementsAre(R"(299 - "unknown field \"a\\b\"")", R"(299 - "x")"));
  EXPECT_THAT(Headers({"a\r\nb\u00e9"}), ElementsAre("299 - \"a  b\u00e9\""));
}

TEST(WarningHeader, KeepsLongTextsUpToTheSum) {
  EXPECT_THAT(Headers({std::string(kWarningsTotalMax, 'a')}),
              ElementsAre(SizeIs(8 + kWarningsTotalMax)));
  EXPECT_THAT(Headers({std::string(kWarningsTotalMax + 1, 'a')}),
              ElementsAre(SizeIs(8 + kWarningTextMax)));
}

TEST(WarningHeader, DropsWhatComesPastTheSum) {
  std::vector<std::string> texts;
  for (int i = 10; i < 70; ++i) texts.push_back(std::to_string(i) + std::string(84, 'x'));
  EXPECT_THAT(Headers(texts), SizeIs(48));
}

}  // namespace
}  // namespace dray::server::http
