// SPDX-License-Identifier: Apache-2.0
#include "server/storage/decoded_cache.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace dray::server::storage {
namespace {

TEST(DecodedCache, KeepsTheLastOnesUpToItsLimit) {
  DecodedCache cache(100);
  std::vector<std::weak_ptr<const void>> kept;
  const auto keep = [&](size_t bytes) {
    const auto value = std::make_shared<const int>(0);
    kept.emplace_back(value);
    cache.Keep(value, bytes);
  };
  keep(60);
  keep(40);
  EXPECT_EQ(cache.bytes(), 100U);
  EXPECT_FALSE(kept[0].expired());
  keep(1);
  EXPECT_TRUE(kept[0].expired());
  EXPECT_FALSE(kept[1].expired());
  EXPECT_EQ(cache.bytes(), 41U);
  keep(101);
  EXPECT_TRUE(kept[3].expired()) << "larger than all of it";
  EXPECT_EQ(cache.bytes(), 41U);
  keep(100);
  EXPECT_EQ(cache.bytes(), 100U);
}

}  // namespace
}  // namespace dray::server::storage
