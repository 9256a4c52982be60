// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/rpc/pages.h"

#include <cstddef>

#include <gtest/gtest.h>

namespace dray::store::etcd::rpc {
namespace {

TEST(EtcdPages, PagesGrowUntilTheirBytesDo) {
  EXPECT_EQ(NextPageKeys(500, 500, 500 * 100), 1000) << "small values: twice as many";
  EXPECT_EQ(NextPageKeys(8000, 8000, 8000 * 100), kPageKeysMax);
  EXPECT_EQ(NextPageKeys(500, 500, size_t{500} << 20U), 8) << "1 MiB each: 8 MiB";
  EXPECT_EQ(NextPageKeys(1, 1, kPageBytes * 2), 1) << "never none";
  EXPECT_EQ(NextPageKeys(500, 0, 0), 500);
}

}  // namespace
}  // namespace dray::store::etcd::rpc
