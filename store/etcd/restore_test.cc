// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/restore.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/etcd/etcd_store.h"
#include "store/etcd/rpc/client.h"
#include "store/etcd/testing/etcd_fixture.h"
#include "store/etcd/testing/etcd_process.h"
#include "store/store.h"
#include "store/testing/conformance.h"

namespace dray::store::etcd {
namespace {

using store::testing::Text;
using testing::EtcdTest;
using ::testing::HasSubstr;

class EtcdRestore : public EtcdTest {
 protected:
  void SetUp() override {
    EtcdTest::SetUp();
    if (etcd_ == nullptr) return;
    client_ = rpc::Client::Make(RealWorld().disk, {.endpoints = {etcd_->endpoint()}}).value();
  }

  Result<Restorer> Begin() { return Restorer::Begin(*client_, RealWorld().clock, "/registry/"); }

  std::unique_ptr<rpc::Client> client_;
};

TEST_F(EtcdRestore, EveryRecordIsThereAfterwards) {
  Restorer restorer = Begin().value();
  const size_t count = 2 * kTxnOperationsMax + 1;
  for (size_t i = 0; i < count; ++i) {
    const std::string key = "/registry/pods/" + std::to_string(i);
    ASSERT_TRUE(restorer.Add({.key = key, .value = key}).has_value());
  }
  const Restorer::Done done = restorer.Finish().value();
  EXPECT_EQ(done.keys, count);
  EXPECT_EQ(done.newest, Revision{4}) << "three transactions";
  const auto store = Open();
  EXPECT_EQ(store->Read()->size(), count);
  EXPECT_EQ(Text(*store->Read()->Find("/registry/pods/7")),
            "/registry/pods/7=/registry/pods/7@2/2/1");
}

TEST_F(EtcdRestore, LargeValuesMakeSmallTransactions) {
  Restorer restorer = Begin().value();
  const std::string half(Restorer::kBatchBytes / 2, 'v');
  const std::string large(kValueBytesMax - 512, 'v');
  ASSERT_TRUE(restorer.Add({.key = "/registry/a", .value = half}).has_value());
  ASSERT_TRUE(restorer.Add({.key = "/registry/b", .value = half}).has_value());
  ASSERT_TRUE(restorer.Add({.key = "/registry/c", .value = large}).has_value());
  EXPECT_EQ(restorer.Finish().value().newest, Revision{4});
  EXPECT_EQ(Open()->Read()->size(), 3U);
}

TEST_F(EtcdRestore, ExpiriesAreKeptAndWhatIsDueIsLeftOut) {
  Restorer restorer = Begin().value();
  const WallTime now = RealWorld().clock.Now();
  const WallTime later = now + std::chrono::hours(1);
  ASSERT_TRUE(restorer.Add({.key = "/registry/a", .value = "", .expiry = now}).has_value());
  ASSERT_TRUE(restorer.Add({.key = "/registry/b", .value = "", .expiry = later}).has_value());
  ASSERT_TRUE(restorer.Add({.key = "/registry/c", .value = "", .expiry = later}).has_value());
  EXPECT_EQ(restorer.Finish().value().keys, 2U);
  EXPECT_THAT(etcd_->Etcdctl({"lease", "list"}).value(), HasSubstr("found 1 leases"));
}

TEST_F(EtcdRestore, AnEtcdThatHasSomethingIsLeftAlone) {
  ASSERT_TRUE(etcd_->Etcdctl({"put", "/elsewhere", "v"}));
  EXPECT_TRUE(Begin().has_value()) << "only the prefix matters";
  ASSERT_TRUE(etcd_->Etcdctl({"put", "/registry/pods/a", "v"}));
  const Result<Restorer> restorer = Begin();
  ASSERT_FALSE(restorer.has_value());
  EXPECT_EQ(restorer.error().reason, StatusReason::kAlreadyExists);
  EXPECT_THAT(restorer.error().message, HasSubstr("/registry/pods/a is the first"));
}

TEST_F(EtcdRestore, WhoWritesMeanwhileIsNotOverwritten) {
  Restorer restorer = Begin().value();
  ASSERT_TRUE(restorer.Add({.key = "/registry/a", .value = "backup"}).has_value());
  ASSERT_TRUE(etcd_->Etcdctl({"put", "/registry/a", "newer"}));
  EXPECT_EQ(restorer.Finish().error().reason, StatusReason::kConflict);
  EXPECT_EQ(etcd_->Etcdctl({"get", "/registry/a", "--print-value-only"}).value(), "newer\n");
}

TEST_F(EtcdRestore, ForeignKeysAndLostServersAreErrors) {
  Restorer restorer = Begin().value();
  const Result<> foreign = restorer.Add({.key = "/elsewhere", .value = ""});
  ASSERT_FALSE(foreign.has_value());
  EXPECT_EQ(foreign.error().reason, StatusReason::kBadRequest);
  EXPECT_THAT(foreign.error().message, HasSubstr("/elsewhere does not begin with /registry/"));
  ASSERT_TRUE(restorer.Add({.key = "/registry/a", .value = ""}).has_value());
  etcd_->Kill();
  EXPECT_FALSE(restorer.Finish().has_value());
  EXPECT_EQ(Begin().error().reason, StatusReason::kServiceUnavailable);
}

}  // namespace
}  // namespace dray::store::etcd
