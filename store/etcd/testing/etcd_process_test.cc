// SPDX-License-Identifier: Apache-2.0
// Tests of the tools that the tests use.
#include "store/etcd/testing/etcd_process.h"

#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result.h"
#include "store/etcd/testing/tcp_proxy.h"

namespace dray::store::etcd::testing {
namespace {

using ::testing::HasSubstr;

/// Whether an etcd answers there within `patience`, a duration as Go writes it.
bool AnswersWithin(std::string_view patience, const std::string& endpoint) {
  return RunProgram({"etcdctl",
                     "--endpoints=" + endpoint,
                     fmt::format("--dial-timeout={}", patience),
                     fmt::format("--command-timeout={}", patience),
                     "get",
                     "k"})
      .has_value();
}

/// Waits as long as it takes.
bool Answers(const std::string& endpoint) {
  return AnswersWithin("10m", endpoint);
}

bool IsSilent(const std::string& endpoint) {
  return !AnswersWithin("500ms", endpoint);
}

class EtcdProcessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = EtcdProcess::Missing(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST_F(EtcdProcessTest, KeepsItsDataWhenKilled) {
  const auto etcd = EtcdProcess::Start({}).value();
  ASSERT_TRUE(etcd->Etcdctl({"put", "k", "v"}));
  etcd->Kill();
  etcd->Kill();
  EXPECT_TRUE(IsSilent(etcd->endpoint()));
  ASSERT_TRUE(etcd->Restart().has_value()) << etcd->log();
  EXPECT_EQ(etcd->Etcdctl({"get", "k", "--print-value-only"}).value(), "v\n");
  etcd->Kill();
  ASSERT_TRUE(etcd->RestartEmpty().has_value()) << etcd->log();
  EXPECT_EQ(etcd->Etcdctl({"get", "k", "--print-value-only"}).value(), "");
}

TEST_F(EtcdProcessTest, CanBeStoppedForAWhile) {
  const auto etcd = EtcdProcess::Start({}).value();
  etcd->Pause();
  EXPECT_TRUE(IsSilent(etcd->endpoint()));
  etcd->Resume();
  EXPECT_TRUE(Answers(etcd->endpoint()));
}

TEST_F(EtcdProcessTest, TwoRunAtOnce) {
  const auto one = EtcdProcess::Start({}).value();
  const auto two = EtcdProcess::Start({}).value();
  EXPECT_NE(one->endpoint(), two->endpoint());
}

TEST_F(EtcdProcessTest, ServesTlsAndAsksForCertificates) {
  const auto etcd = EtcdProcess::Start({.tls = EtcdTls::kMutual}).value();
  EXPECT_TRUE(etcd->Etcdctl({"get", "k"}).has_value());
  EXPECT_FALSE(RunProgram({"etcdctl",
                           "--endpoints=" + etcd->endpoint(),
                           "--dial-timeout=500ms",
                           "--command-timeout=500ms",
                           "--cacert=" + etcd->tls_files().ca,
                           "get",
                           "k"})
                   .has_value());
}

TEST_F(EtcdProcessTest, SaysWhyItDoesNotServe) {
  const auto etcd = EtcdProcess::Start({.flags = {"--no-such-flag"}});
  ASSERT_FALSE(etcd.has_value());
  EXPECT_THAT(etcd.error().message, HasSubstr("no-such-flag"));
}

TEST_F(EtcdProcessTest, TheProxyForwardsRefusesAndForwardsAgain) {
  const auto etcd = EtcdProcess::Start({}).value();
  TcpProxy proxy(etcd->port());
  const std::string endpoint = proxy.endpoint();
  EXPECT_TRUE(Answers(endpoint));
  proxy.Refuse();
  EXPECT_TRUE(IsSilent(endpoint));
  proxy.Allow();
  EXPECT_TRUE(Answers(endpoint));
  proxy.HoldAnswers();
  EXPECT_TRUE(IsSilent(endpoint));
  proxy.Hold();
  EXPECT_TRUE(IsSilent(endpoint));
  proxy.Release();
  proxy.Cut();
  EXPECT_TRUE(Answers(endpoint));
  EXPECT_GE(proxy.connections(), 3U);
  const ReservedPort nobody;
  proxy.Redirect(nobody.number());
  EXPECT_TRUE(IsSilent(endpoint));
}

}  // namespace
}  // namespace dray::store::etcd::testing
