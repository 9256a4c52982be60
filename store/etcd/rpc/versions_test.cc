// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/rpc/versions.h"

#include <gtest/gtest.h>

namespace dray::store::etcd::rpc {
namespace {

TEST(EtcdVersions, ProgressIsReliableFromSomeVersionsOn) {
  for (const char* version : {"3.4.31", "3.4.32", "3.5.13", "3.5.14-rc.0", "3.6.0", "4.0.0"}) {
    EXPECT_TRUE(HasReliableProgress(version)) << version;
  }
  for (const char* version : {"3.4.30", "3.4.23", "3.3.99", "3.5.0", "3.5.12", "", "new"}) {
    EXPECT_FALSE(HasReliableProgress(version)) << version;
  }
}

}  // namespace
}  // namespace dray::store::etcd::rpc
