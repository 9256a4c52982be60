// SPDX-License-Identifier: Apache-2.0
#include "base/text/scratch_text.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace dray::inline text {
namespace {

TEST(ScratchText, BeginsEmptyInTheMemoryOfTheOneBefore) {
  uintptr_t memory = 0;
  {
    ScratchText text;
    text->assign(1000, 'x');
    memory = reinterpret_cast<uintptr_t>(text->data());
  }
  const ScratchText next;
  EXPECT_TRUE(next->empty());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(next->data()), memory);
}

TEST(ScratchText, SeveralAtATimeHaveMemoryOfTheirOwn) {
  ScratchText one;
  one->assign(1000, 'x');
  {
    ScratchText other;
    EXPECT_TRUE(other->empty());
    other->assign(100, 'y');
    EXPECT_EQ(*one, std::string(1000, 'x'));
    EXPECT_EQ(*other, std::string(100, 'y'));
  }
  EXPECT_EQ(*one, std::string(1000, 'x'));
}

TEST(ScratchText, KeepsALimitedAmount) {
  {
    const ScratchText emptied;
  }
  for (const size_t more : {size_t{0}, size_t{1}}) {
    {
      ScratchText text;
      *text = std::string();  // the memory that was kept is gone
      text->shrink_to_fit();
      text->reserve(ScratchText::kKeptBytesMax + more);
    }
    const ScratchText next;
    EXPECT_EQ(next->capacity() >= ScratchText::kKeptBytesMax, more == 0);
  }
}

}  // namespace
}  // namespace dray::inline text
