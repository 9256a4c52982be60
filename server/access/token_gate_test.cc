// SPDX-License-Identifier: Apache-2.0
#include "server/access/token_gate.h"

#include <chrono>
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

namespace dray::server::access {
namespace {

using Answer = TokenGate::Verdict;

class TokenGateTest : public ::testing::Test {
 protected:
  /// Sends `count` new invalid tokens; returns how many were checked.
  size_t Flood(size_t count, const std::string& address) {
    size_t looked_at = 0;
    for (size_t i = 0; i < count; ++i) {
      const std::string token = "forged " + std::to_string(next_++);
      if (gate_.Ask(token, address, now_) != Answer::kLook) continue;
      ++looked_at;
      gate_.Note(token, address, now_, false);
    }
    return looked_at;
  }

  TokenGate gate_{7};
  WallTime now_{std::chrono::hours(1000)};
  size_t next_ = 0;
};

TEST_F(TokenGateTest, LooksAtATokenOnce) {
  EXPECT_EQ(gate_.Ask("bad", "a", now_), Answer::kLook);
  gate_.Note("bad", "a", now_, false);
  EXPECT_EQ(gate_.Ask("bad", "a", now_), Answer::kNobodys);
  EXPECT_EQ(gate_.Ask("bad", "b", now_), Answer::kNobodys);
  EXPECT_EQ(gate_.Ask("other", "a", now_), Answer::kLook);
}

TEST_F(TokenGateTest, WhoShowsManyHasToWait) {
  const auto burst = static_cast<size_t>(TokenGate::kBurst);
  gate_.Note("good", "a", now_, true);
  EXPECT_EQ(Flood(1000, "a"), burst);
  EXPECT_EQ(gate_.Ask("new", "a", now_), Answer::kTooMany);
  EXPECT_EQ(gate_.Ask("new", "b", now_), Answer::kLook) << "others notice nothing";
  EXPECT_EQ(gate_.Ask("good", "a", now_), Answer::kLook) << "nor who is known beside him";
  now_ += std::chrono::seconds(1);
  EXPECT_EQ(Flood(1000, "a"), static_cast<size_t>(TokenGate::kEachSecond));
  now_ += std::chrono::hours(1);
  EXPECT_EQ(Flood(1000, "a"), burst);
  now_ -= std::chrono::hours(2);
  EXPECT_EQ(Flood(1000, "a"), 0U) << "a clock that is set back gives nothing";
}

TEST_F(TokenGateTest, RemembersSoManyAddressesAndTokens) {
  for (size_t i = 0; i < 2 * TokenGate::kAddressesMax; ++i) {
    EXPECT_EQ(Flood(1, std::to_string(i)), 1U);
  }
  now_ += std::chrono::hours(1);
  EXPECT_EQ(Flood(1000, "a"), static_cast<size_t>(TokenGate::kBurst));
}

}  // namespace
}  // namespace dray::server::access
