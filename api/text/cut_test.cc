// SPDX-License-Identifier: Apache-2.0
#include "api/text/cut.h"

#include <string>

#include <gtest/gtest.h>

namespace dray::api {
namespace {

TEST(Cut, KeepsWhatFitsAndMarksWhatDoesNot) {
  EXPECT_EQ(Cut("", 0), "");
  EXPECT_EQ(Cut("a", 0), "…");
  EXPECT_EQ(Cut("abc", 3), "abc");
  EXPECT_EQ(Cut("abcd", 3), "abc…");
}

TEST(Cut, DividesNoCharacter) {
  EXPECT_EQ(Cut("aé!", 2), "a…");
  EXPECT_EQ(Cut("aé!", 3), "aé…");
  EXPECT_EQ(Cut("\xf0\x9f\x98\x80", 3), "…");
}

TEST(Cut, EndsWhereBytesAreNoText) {
  EXPECT_EQ(Cut(std::string(8, '\x80'), 4), "…");
}

}  // namespace
}  // namespace dray::api
