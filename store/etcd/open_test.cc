// SPDX-License-Identifier: Apache-2.0
// Opening a store in etcd: its contents, and every way opening can fail.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "base/log.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/etcd/etcd_store.h"
#include "store/etcd/options.h"
#include "store/etcd/rpc/pages.h"
#include "store/etcd/testing/etcd_fixture.h"
#include "store/etcd/testing/etcd_process.h"
#include "store/etcd/testing/tcp_proxy.h"
#include "store/store.h"
#include "store/testing/conformance.h"

namespace dray::store::etcd {
namespace {

using store::testing::Bytes;
using store::testing::Do;
using store::testing::PutOf;
using store::testing::Text;
using store::testing::Texts;
using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::EtcdProcess;
using testing::EtcdTest;
using testing::EtcdTls;
using ::testing::HasSubstr;
using testing::Patient;
using testing::ReservedPort;
using testing::SyncAtLast;
using testing::TcpProxy;
using testing::TemporaryFolder;
using testing::TlsFiles;

class EtcdOpen : public EtcdTest {
 protected:
  Error ErrorOf(const EtcdOptions& options) {
    const Result<std::unique_ptr<EtcdStore>> store = TryOpen(options);
    if (!store.has_value()) return store.error();
    ADD_FAILURE() << "it opens";
    return {};
  }
};

TEST_F(EtcdOpen, WhatIsThereIsReadPageByPage) {
  const size_t count = 2 * rpc::kFirstPageKeys + 1;
  {
    const auto writer = Open();
    for (size_t first = 0; first < count; first += kTxnOperationsMax) {
      Txn txn;
      for (size_t i = first; i < std::min(count, first + kTxnOperationsMax); ++i) {
        txn.operations.emplace_back(
            Put{.key = "/registry/pods/" + std::to_string(i), .value = Bytes(std::to_string(i))});
      }
      Do(*writer, std::move(txn));
    }
    Do(*writer, PutOf("/registry/pods/7", "again"));
  }
  const auto store = Open();
  EXPECT_EQ(store->Read()->size(), count);
  EXPECT_EQ(Text(*store->Read()->Find("/registry/pods/7")), "/registry/pods/7=again@2/10/2");
  const Status status = store->status();
  EXPECT_EQ(status.newest, Revision{10});
  EXPECT_EQ(status.floor, Revision{10}) << "history begins with the process";
  EXPECT_EQ(status.keys, count);
  EXPECT_GT(status.file_bytes, 0U);
  EXPECT_EQ(store->ReadAt(Revision{9}).error().reason, StatusReason::kExpired);
}

TEST_F(EtcdOpen, OnlyThePrefixIsSeenAndWritten) {
  ASSERT_TRUE(etcd_->Etcdctl({"put", "/registry/a", "ours"}));
  ASSERT_TRUE(etcd_->Etcdctl({"put", "/registryx", "not ours"}));
  ASSERT_TRUE(etcd_->Etcdctl({"put", "/registr", "not ours"}));
  const auto store = Open();
  EXPECT_THAT(Texts(store->Read()->Range({})), ElementsAre("/registry/a=ours@2/2/1"));
  ASSERT_TRUE(etcd_->Etcdctl({"put", "/registryx", "still not"}));
  EXPECT_EQ(SyncAtLast(*store), Revision{5}) << "others' revisions are gaps";
  EXPECT_EQ(store->Read()->size(), 1U);
  for (const std::string key : {"/registryx", "/registry", "compact_rev_key"}) {
    const Result<CommitOutcome> outcome = store->CommitAndWait(PutOf(key, "v"));
    ASSERT_FALSE(outcome.has_value());
    EXPECT_EQ(outcome.error().reason, StatusReason::kBadRequest);
    EXPECT_THAT(outcome.error().message, AllOf(HasSubstr(key), HasSubstr("\"/registry/\"")));
  }
  EXPECT_EQ(Do(*store, PutOf("/registry/b", "v")).revision, Revision{6});
  EXPECT_THAT(Texts(*store->EventsAfter(Revision{4}, "", 9)), ElementsAre("+/registry/b=v@6/6/1"));
}

TEST_F(EtcdOpen, StoresInOneEtcdAreOneStore) {
  const auto other_etcd = EtcdProcess::Start({}).value();
  const std::string id = Open()->status().id;
  EXPECT_EQ(id.size(), 16U);
  EXPECT_EQ(Open()->status().id, id);
  EXPECT_NE(Open({.prefix = "/elsewhere"})->status().id, id);
  EXPECT_NE(Open({.endpoints = {other_etcd->endpoint()}})->status().id, id);
}

TEST_F(EtcdOpen, EndpointsAreCheckedFirst) {
  struct Case {
    std::vector<std::string> endpoints;
    std::string_view error;
  };
  for (const Case& each : {
           Case{{"127.0.0.1:2379"}, "a URL begins with http:// or https://"},
           Case{{"http://"}, "not a URL of the form"},
           Case{{"http://a:0"}, "not a URL of the form"},
           Case{{"http://a:65536"}, "not a URL of the form"},
           Case{{"http://a:1/path"}, "not a URL of the form"},
           Case{{"http://[::1:2379"}, "not a URL of the form"},
           Case{{"http://a:1", "https://b:1"}, "use https for all, or for none"},
           Case{std::vector<std::string>(rpc::kEndpointsMax + 1, "http://a:1"), "65 etcd servers"},
       }) {
    SCOPED_TRACE(each.endpoints.front());
    const Error error = ErrorOf({.endpoints = each.endpoints});
    EXPECT_EQ(error.reason, StatusReason::kBadRequest);
    EXPECT_THAT(error.message, HasSubstr(each.error));
  }
  EXPECT_THAT(EtcdStore::Open(RealWorld(), Log::Silent(), {}).error().message,
              HasSubstr("no etcd server is named"));
  EXPECT_THAT(ErrorOf({.endpoints = {"http://a:1"}, .ca_file = "ca.pem"}).message,
              HasSubstr("with https:// only"));
  EXPECT_THAT(ErrorOf({.endpoints = {"https://a:1"}, .certificate_file = "c.pem"}).message,
              HasSubstr("go together"));
  const rpc::Endpoints good =
      rpc::ParseEndpoints({.endpoints = {"http://[::1]", "http://etcd.example:1/"}}).value();
  EXPECT_EQ(good.members[0].address, "[::1]:2379");
  EXPECT_EQ(good.members[1].address, "etcd.example:1");
  EXPECT_TRUE(rpc::ParseEndpoints(
      {.endpoints = std::vector<std::string>(rpc::kEndpointsMax, "http://a:1")}));
}

TEST_F(EtcdOpen, NobodyListens) {
  const ReservedPort port;
  const std::string endpoint = "http://127.0.0.1:" + std::to_string(port.number());
  const Error error = ErrorOf({.endpoints = {endpoint}});
  EXPECT_EQ(error.reason, StatusReason::kServiceUnavailable);
  EXPECT_THAT(error.message, AllOf(HasSubstr(endpoint), HasSubstr("no process listens there")));
}

TEST_F(EtcdOpen, NobodyAnswers) {
  TcpProxy proxy(etcd_->port());
  proxy.Hold();
  const Error error =
      ErrorOf({.endpoints = {proxy.endpoint()}, .dial_timeout = std::chrono::milliseconds(200)});
  EXPECT_EQ(error.reason, StatusReason::kServiceUnavailable);
  EXPECT_THAT(error.message, AllOf(HasSubstr(proxy.endpoint()), HasSubstr("in time")));
}

/// A server that sends the same text on each connection, and closes it.
class Sayer {
 public:
  explicit Sayer(std::string_view words) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    DRAY_CHECK(socket_ >= 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_, 8), 0);
    EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this, words] {
      for (int peer = 0; (peer = ::accept(socket_, nullptr, nullptr)) >= 0;) {
        ::send(peer, words.data(), words.size(), MSG_NOSIGNAL);
        ::close(peer);
      }
    });
  }
  Sayer(const Sayer&) = delete;
  Sayer& operator=(const Sayer&) = delete;
  ~Sayer() {
    ::shutdown(socket_, SHUT_RDWR);  // ends the accept
    thread_.join();
    ::close(socket_);
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  const int socket_;
  uint16_t port_ = 0;
  std::jthread thread_;
};

TEST_F(EtcdOpen, SomebodyElseListens) {
  const Sayer http("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
  EXPECT_THAT(ErrorOf({.endpoints = {"http://" + http.address()}}).message,
              AllOf(HasSubstr(http.address()), HasSubstr("it is not an etcd")));
  const Sayer silent("");
  EXPECT_THAT(ErrorOf({.endpoints = {"http://" + silent.address()}}).message,
              AllOf(HasSubstr(silent.address()), HasSubstr("is not an etcd")));
}

TEST_F(EtcdOpen, EveryEndpointHasItsSay) {
  const ReservedPort port;
  const std::string nobody = "http://127.0.0.1:" + std::to_string(port.number());
  const Sayer http("HTTP/1.1 400 Bad Request\r\n\r\n");
  EXPECT_THAT(ErrorOf({.endpoints = {nobody, "http://" + http.address()}}).message,
              AllOf(HasSubstr("no process listens there"), HasSubstr("it is not an etcd")));
  EXPECT_TRUE(TryOpen({.endpoints = {nobody, etcd_->endpoint()}}).has_value());
}

class EtcdTlsOpen : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = EtcdProcess::Missing(); !reason.empty()) GTEST_SKIP() << reason;
    etcd_ = EtcdProcess::Start({.tls = EtcdTls::kMutual}).value();
    stranger_ = TlsFiles::Make(stranger_folder_.path()).value();
  }

  EtcdOptions Good() const {
    return {.endpoints = {etcd_->endpoint()},
            .ca_file = etcd_->tls_files().ca,
            .certificate_file = etcd_->tls_files().client_certificate,
            .key_file = etcd_->tls_files().client_key};
  }
  static Error ErrorOf(const EtcdOptions& options) {
    const auto store = EtcdStore::Open(RealWorld(), Log::Silent(), Patient(options));
    if (!store.has_value()) return store.error();
    ADD_FAILURE() << "it opens";
    return {};
  }

  std::unique_ptr<EtcdProcess> etcd_;
  TemporaryFolder stranger_folder_;
  TlsFiles stranger_;
};

TEST_F(EtcdTlsOpen, CommitsAndFollowsOverTls) {
  const auto store = EtcdStore::Open(RealWorld(), Log::Silent(), Patient(Good())).value();
  EXPECT_EQ(Do(*store, PutOf("/registry/a", "v")).revision, Revision{2});
  EXPECT_EQ(SyncAtLast(*store), Revision{2});
}

TEST_F(EtcdTlsOpen, AnotherAuthorityIsNotTrusted) {
  EtcdOptions options = Good();
  options.ca_file = stranger_.ca;
  const Error error = ErrorOf(options);
  EXPECT_EQ(error.reason, StatusReason::kServiceUnavailable);
  EXPECT_THAT(error.message, HasSubstr("not signed by an authority of the CA file"));
}

TEST_F(EtcdTlsOpen, ACertificateForAnotherNameIsNotTrusted) {
  EtcdOptions options = Good();
  options.endpoints = {"https://localhost:" + std::to_string(etcd_->port())};
  const Error error = ErrorOf(options);
  EXPECT_EQ(error.reason, StatusReason::kServiceUnavailable);
  EXPECT_THAT(error.message, HasSubstr("its certificate is for another name"));
}

TEST_F(EtcdTlsOpen, AClientCertificateIsMissing) {
  EtcdOptions options = Good();
  options.certificate_file = options.key_file = "";
  const Error error = ErrorOf(options);
  EXPECT_EQ(error.reason, StatusReason::kServiceUnavailable);
  EXPECT_THAT(error.message, HasSubstr("it wants a client certificate"));
}

TEST_F(EtcdTlsOpen, AClientCertificateIsNotAccepted) {
  EtcdOptions options = Good();
  options.certificate_file = stranger_.client_certificate;
  options.key_file = stranger_.client_key;
  const Error error = ErrorOf(options);
  EXPECT_EQ(error.reason, StatusReason::kServiceUnavailable);
  EXPECT_THAT(error.message, HasSubstr("does not accept the client certificate"));
}

TEST_F(EtcdTlsOpen, PlainAndTlsDoNotMix) {
  const std::string address = "127.0.0.1:" + std::to_string(etcd_->port());
  EXPECT_THAT(ErrorOf({.endpoints = {"http://" + address}}).message, HasSubstr("wants https://"));
  const auto plain = EtcdProcess::Start({}).value();
  EtcdOptions options = Good();
  options.endpoints = {"https://127.0.0.1:" + std::to_string(plain->port())};
  EXPECT_THAT(ErrorOf(options).message, HasSubstr("no etcd with TLS"));
}

TEST_F(EtcdTlsOpen, FilesAreNamed) {
  EtcdOptions options = Good();
  options.ca_file = stranger_folder_.path() + "/none.pem";
  EXPECT_EQ(ErrorOf(options).reason, StatusReason::kNotFound);
  EXPECT_THAT(ErrorOf(options).message, HasSubstr("none.pem"));
  options = Good();
  options.certificate_file = options.key_file;
  EXPECT_EQ(ErrorOf(options).reason, StatusReason::kBadRequest);
  EXPECT_THAT(ErrorOf(options).message,
              AllOf(HasSubstr("client.key is not a PEM file"), HasSubstr("BEGIN CERTIFICATE")));
  options = Good();
  options.key_file = options.certificate_file;
  EXPECT_THAT(ErrorOf(options).message, HasSubstr("client.crt is not a PEM file"));
}

}  // namespace
}  // namespace dray::store::etcd
