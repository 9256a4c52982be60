// SPDX-License-Identifier: Apache-2.0
// The tools of the tests do what they say.
#include "store/etcd/testing/etcd_process.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result.h"
#include "store/etcd/testing/tcp_proxy.h"

namespace dray::store::etcd {
namespace {

using testing::HasSubstr;

std::string Port(uint16_t port) {
  return std::to_string(port);
}

Result<> Etcdctl(const std::string& endpoint, const std::string& word, const std::string& key) {
  return RunProgram({"etcdctl",
                     "--endpoints=" + endpoint,
                     "--dial-timeout=500ms",
                     "--command-timeout=500ms",
                     "get",
                     key,
                     word});
}

class EtcdProcessTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = EtcdProcess::Missing(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST_F(EtcdProcessTest, KeepsItsDataWhenKilled) {
  const auto etcd = EtcdProcess::Start({}).value();
  ASSERT_TRUE(RunProgram({"etcdctl", "--endpoints=" + etcd->endpoint(), "put", "k", "v"}));
  etcd->Kill();
  etcd->Kill();
  EXPECT_FALSE(Etcdctl(etcd->endpoint(), "--print-value-only", "k").has_value());
  ASSERT_TRUE(etcd->Restart().has_value()) << etcd->log();
  EXPECT_TRUE(RunProgram({"sh",
                          "-c",
                          "test v = $(etcdctl --endpoints=" + etcd->endpoint() +
                              " get k --print-value-only)"})
                  .has_value());
}

TEST_F(EtcdProcessTest, TwoRunAtOnce) {
  const auto one = EtcdProcess::Start({}).value();
  const auto two = EtcdProcess::Start({}).value();
  EXPECT_NE(one->endpoint(), two->endpoint());
}

TEST_F(EtcdProcessTest, ServesTlsAndAsksForCertificates) {
  const auto etcd = EtcdProcess::Start({.tls = EtcdTls::kMutual}).value();
  const TlsFiles& files = etcd->tls_files();
  const std::string endpoints = "--endpoints=" + etcd->endpoint();
  EXPECT_TRUE(RunProgram({"etcdctl",
                          endpoints,
                          "--cacert=" + files.ca,
                          "--cert=" + files.client_certificate,
                          "--key=" + files.client_key,
                          "get",
                          "k"})
                  .has_value());
  EXPECT_FALSE(RunProgram({"etcdctl",
                           endpoints,
                           "--dial-timeout=500ms",
                           "--command-timeout=500ms",
                           "--cacert=" + files.ca,
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
  const std::string endpoint = "http://127.0.0.1:" + Port(proxy.port());
  EXPECT_TRUE(Etcdctl(endpoint, "--keys-only", "k").has_value());
  proxy.Refuse();
  EXPECT_FALSE(Etcdctl(endpoint, "--keys-only", "k").has_value());
  proxy.Allow();
  EXPECT_TRUE(Etcdctl(endpoint, "--keys-only", "k").has_value());
  proxy.HoldAnswers();
  EXPECT_FALSE(Etcdctl(endpoint, "--keys-only", "k").has_value());
  proxy.Hold();
  EXPECT_FALSE(Etcdctl(endpoint, "--keys-only", "k").has_value());
  proxy.Release();
  proxy.Cut();
  EXPECT_TRUE(Etcdctl(endpoint, "--keys-only", "k").has_value());
  EXPECT_GE(proxy.connections(), 3U);
}

}  // namespace
}  // namespace dray::store::etcd
