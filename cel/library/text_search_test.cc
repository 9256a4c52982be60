// SPDX-License-Identifier: Apache-2.0
#include "cel/library/text_search.h"

#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/work.h"

namespace dray::cel::library {
namespace {

std::string TextOf(std::minstd_rand& random, size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) text += random() % 8 == 0 ? 'b' : 'a';
  return text;
}

// Texts of few letters, so that most beginnings of what is looked for occur, and patterns longer
// and shorter than those for which there is a plain way.
TEST(TextSearch, FindsWhatTheStandardLibraryFinds) {
  std::minstd_rand random(1);
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = TextOf(random, random() % 80);
    const std::string wanted = TextOf(random, 1 + random() % 30);
    const size_t from = random() % 90;
    ASSERT_EQ(FindFirst(text, wanted, from), text.find(wanted, from)) << text << " " << wanted;
    ASSERT_EQ(FindLast(text, wanted, from), text.rfind(wanted, from)) << text << " " << wanted;
    ASSERT_EQ(FindLast(text, wanted), text.rfind(wanted)) << text << " " << wanted;
    if (text.size() < 40) continue;
    const std::string part = text.substr(random() % 20, 17 + random() % 4);
    ASSERT_EQ(FindFirst(text, part), text.find(part)) << text << " " << part;
    ASSERT_EQ(FindLast(text, part), text.rfind(part)) << text << " " << part;
  }
}

TEST(TextSearch, NothingIsEverywhere) {
  EXPECT_EQ(FindFirst("abc", ""), 0U);
  EXPECT_EQ(FindFirst("abc", "", 3), 3U);
  EXPECT_EQ(FindFirst("abc", "", 4), std::string_view::npos);
  EXPECT_EQ(FindFirst("", "a"), std::string_view::npos);
}

// A quarter of a megabyte that almost matches everywhere: the square would take minutes.
TEST(TextSearch, IsLinear) {
  const std::string text(size_t{256} << 10U, 'x');
  const std::string half(size_t{128} << 10U, 'x');
  EXPECT_EQ(FindFirst(text, half + "y"), std::string_view::npos);
  EXPECT_EQ(FindFirst(text, "y" + half), std::string_view::npos);
  EXPECT_EQ(FindLast(text, half + "y"), std::string_view::npos);
  EXPECT_EQ(FindLast(text, "y" + half), std::string_view::npos);
  EXPECT_EQ(FindLast(text, half), text.size() - half.size());
}

TEST(TextSearch, WorkGrowsWithTheText) {
  const std::string plain(4096, 'x');
  std::string letters;
  for (int i = 0; i < 2048; ++i) letters += "\u00e9";
  EXPECT_EQ(WorkOfCounting(plain), WorkOfBytes(4096));
  EXPECT_EQ(WorkOfCounting(letters), WorkOfReading(4096));
  EXPECT_EQ(WorkOfCounting(""), 1U);
  EXPECT_GT(WorkOfSearching(plain, letters), WorkOfSearching(plain, "x"));
}

}  // namespace
}  // namespace dray::cel::library
