// SPDX-License-Identifier: Apache-2.0
// The suite that every implementation passes, each store in a new etcd. The Backend lists the
// differences of a store in etcd (store/etcd/etcd_store.h); expiry has tests of its own.
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "base/check.h"
#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "store/etcd/etcd_store.h"
#include "store/etcd/options.h"
#include "store/etcd/testing/etcd_fixture.h"
#include "store/etcd/testing/etcd_process.h"
#include "store/store.h"
#include "store/testing/conformance.h"

namespace dray::store::etcd {
namespace {

using store::testing::Backend;
using store::testing::BackendName;
using store::testing::StoreCommit;
using store::testing::StoreLimits;
using store::testing::StoreProperty;
using store::testing::StoreReading;
using store::testing::StoreThreads;
using store::testing::StoreWatching;
using testing::EtcdDisk;
using testing::EtcdProcess;
using testing::Patient;

/// Opens stores one after the other, each in an etcd that replaces the one before.
class NewEtcds {
 public:
  std::unique_ptr<Store> Open(const Options& options) {
    process_ = EtcdProcess::Start({.disk = EtcdDisk::kMemory}).value();
    Result<std::unique_ptr<EtcdStore>> store =
        EtcdStore::Open(RealWorld(),
                        Log::Silent(),
                        Patient({.endpoints = {process_->endpoint()}, .prefix = ""}),
                        options);
    EXPECT_TRUE(store.has_value()) << store.error().message;
    return *std::move(store);
  }

 private:
  std::unique_ptr<EtcdProcess> process_;
};

auto Etcd() {
  return ::testing::Values(Backend{
      .name = "Etcd",
      .open = [etcds = std::make_shared<NewEtcds>()](
                  const Options& options) { return etcds->Open(options); },
      .missing = EtcdProcess::Missing,
      .expires_by_itself = true,
      .value_bytes_max = kValueBytesMax - 512,
  });
}

INSTANTIATE_TEST_SUITE_P(, StoreCommit, Etcd(), BackendName);
INSTANTIATE_TEST_SUITE_P(, StoreLimits, Etcd(), BackendName);
INSTANTIATE_TEST_SUITE_P(, StoreReading, Etcd(), BackendName);
INSTANTIATE_TEST_SUITE_P(, StoreWatching, Etcd(), BackendName);
INSTANTIATE_TEST_SUITE_P(, StoreProperty, Etcd(), BackendName);
INSTANTIATE_TEST_SUITE_P(, StoreThreads, Etcd(), BackendName);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StoreExpiry);

}  // namespace
}  // namespace dray::store::etcd
