// SPDX-License-Identifier: Apache-2.0
// The module that a package's program loads for etcd: it works, and other files are refused.
#include <chrono>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result.h"
#include "store/etcd/options.h"
#include "store/etcd/rpc/client.h"
#include "store/etcd/rpc/connection.h"
#include "store/etcd/rpc/endpoints.h"
#include "store/etcd/rpc/messages.h"
#include "store/etcd/testing/etcd_process.h"

namespace dray::store::etcd::rpc {
namespace {

using testing::EtcdProcess;
using ::testing::HasSubstr;

constexpr std::chrono::minutes kPatience{10};  // reached only because of a bug

TEST(EtcdModule, MakesClients) {
  if (const std::string reason = EtcdProcess::Missing(); !reason.empty()) GTEST_SKIP() << reason;
  const auto etcd = EtcdProcess::Start({}).value();
  MakeClient* const make = LoadModule(DRAY_ETCD_MODULE_FILE).value();
  const EtcdOptions options{.endpoints = {etcd->endpoint()}};
  const std::unique_ptr<Client> client = make(options, ParseEndpoints(options).value(), {});
  const auto written =
      client->TxnAndWait({.writes = {{.key = "/registry/a", .value = "1"}}}, kPatience);
  ASSERT_TRUE(written.has_value()) << written.error().message;
  const auto watch =
      client->StartWatch(0, {.keys = SpanOfPrefix("/registry/"), .after = Revision{1}});
  for (;;) {
    const auto answer = watch->Next();
    ASSERT_TRUE(answer.has_value()) << answer.error().message;
    if (answer->events.empty()) continue;
    EXPECT_EQ(answer->events.front().kv.value, "1");
    break;
  }
  client->Close();
  const auto refused = client->RangeAndWait({.keys = SpanOfPrefix("/")}, kPatience);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, CallFailure::Kind::kNotSent);
}

TEST(EtcdModule, ThatIsNoneIsRefused) {
  const auto absent = LoadModule("/nonexistent/dray-etcd.so");
  ASSERT_FALSE(absent.has_value());
  EXPECT_EQ(absent.error().reason, StatusReason::kNotFound);
  EXPECT_THAT(absent.error().message, HasSubstr("/nonexistent/dray-etcd.so cannot be loaded"));
  const auto other = LoadModule("libm.so.6");
  ASSERT_FALSE(other.has_value());
  EXPECT_THAT(other.error().message, HasSubstr("libm.so.6 is not the module of Dray "));
}

}  // namespace
}  // namespace dray::store::etcd::rpc
