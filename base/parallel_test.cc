// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace dray {
namespace {

TEST(InParallel, DoesEachPieceOnce) {
  for (const size_t count : {0U, 1U, 9U, 10U, 11U, 1000U}) {
    std::vector<int> done(count);
    InParallel(count, 10, [&](size_t begin, size_t end) {
      EXPECT_LE(end - begin, 10U);
      for (size_t i = begin; i < end; ++i) ++done[i];
    });
    EXPECT_EQ(done, std::vector<int>(count, 1));
  }
}

}  // namespace
}  // namespace dray
