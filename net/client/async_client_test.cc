// SPDX-License-Identifier: Apache-2.0
#include "net/client/async_client.h"

#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mutex.h"
#include "base/world.h"
#include "net/http.h"
#include "net/server/http_server.h"
#include "net/testing/server_fixture.h"
#include "net/tls/context.h"

namespace dray::net::client {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing::kPatience;
using testing::Pki;

using Answer = std::future<Result<ClientResponse>>;

class AsyncClientTest : public testing::ServerTest {
 protected:
  AsyncRequest Post(std::string target, std::string body = "{}") const {
    AsyncRequest request{
        .to = {.server = {.scheme = Scheme::kHttp, .host = "127.0.0.1", .port = server_->port()}},
        .request = {.method = "POST", .target = std::move(target), .body = std::move(body)},
        .deadline = RealWorld().clock.Monotonic() + kPatience,
        .response_bytes_max = size_t{1} << 20};
    return request;
  }

  static Answer Send(AsyncClient& client, AsyncRequest request) {
    auto promise = std::make_shared<std::promise<Result<ClientResponse>>>();
    Answer answer = promise->get_future();
    client.Send(std::move(request),
                [promise](Result<ClientResponse> got) { promise->set_value(std::move(got)); });
    return answer;
  }

  /// The body of the answer, or why there is none.
  static std::string Text(Answer answer) {
    Result<ClientResponse> got = answer.get();
    return got.has_value() ? got->body : got.error().message;
  }

  void StartEcho(server::HttpServerOptions options = {}) {
    StartServer(
        [](const Request& request, const std::shared_ptr<Responder>& responder) {
          responder->Respond({}, Bytes(request.target + " " + request.body));
        },
        std::move(options));
  }
};

/// Answers that a test gives when it wants to.
class Held {
 public:
  void Take(std::shared_ptr<Responder> responder) {
    const MutexLock lock(mutex_);
    all_.push_back(std::move(responder));
    came_.NotifyOne();  // under the lock: the thread that waits may destroy this as soon as it is
                        // free
  }
  void AwaitCount(size_t count) {
    const MutexLock lock(mutex_);
    while (all_.size() < count) came_.Wait(mutex_);
  }
  size_t count() {
    const MutexLock lock(mutex_);
    return all_.size();
  }
  void AnswerAll() {
    std::vector<std::shared_ptr<Responder>> all;
    {
      const MutexLock lock(mutex_);
      all.swap(all_);
    }
    for (const auto& responder : all) {
      responder->reactor().Post([responder] { responder->Respond({}, Bytes("late")); });
    }
  }

 private:
  Mutex mutex_;
  Condition came_;
  std::vector<std::shared_ptr<Responder>> all_ DRAY_GUARDED_BY(mutex_);
};

TEST_F(AsyncClientTest, UsesOneConnectionForOneExchangeAfterTheOther) {
  StartEcho();
  AsyncClient client(RealWorld().clock, {});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Text(Send(client, Post("/x", "body"))), "/x body");
  EXPECT_EQ(server_->connections(), 1U);
  EXPECT_EQ(client.pending(), 0U);
}

TEST_F(AsyncClientTest, WaitsForManyAnswersAtOnce) {
  Held held;
  StartServer([&](const Request&, std::shared_ptr<Responder> responder) {
    held.Take(std::move(responder));
  });
  AsyncClient client(RealWorld().clock, {});
  std::vector<Answer> answers;
  for (int i = 0; i < 50; ++i) answers.push_back(Send(client, Post("/")));
  held.AwaitCount(50);
  held.AnswerAll();
  for (Answer& answer : answers) EXPECT_EQ(Text(std::move(answer)), "late");
}

TEST_F(AsyncClientTest, WaitsForAConnectionWhenTheServerHasItsShare) {
  Held held;
  StartServer([&](const Request&, std::shared_ptr<Responder> responder) {
    held.Take(std::move(responder));
  });
  AsyncClient client(RealWorld().clock, {.server_connections_max = 2, .waiting_max = 3});
  std::vector<Answer> answers;
  for (int i = 0; i < 5; ++i) answers.push_back(Send(client, Post("/")));
  held.AwaitCount(2);
  EXPECT_EQ(Send(client, Post("/")).get().error().reason, StatusReason::kTooManyRequests);
  EXPECT_EQ(held.count(), 2U);
  for (const size_t more : {size_t{2}, size_t{1}}) {
    held.AnswerAll();
    held.AwaitCount(more);
  }
  held.AnswerAll();
  for (Answer& answer : answers) EXPECT_EQ(Text(std::move(answer)), "late");
  EXPECT_LE(server_->connections(), 2U);
}

TEST_F(AsyncClientTest, EndsAtTheDeadlineWhateverItWaitsFor) {
  Held held;
  StartServer([&](const Request&, std::shared_ptr<Responder> responder) {
    held.Take(std::move(responder));
  });
  AsyncClient client(RealWorld().clock, {.server_connections_max = 1});
  AsyncRequest soon = Post("/");
  soon.deadline = RealWorld().clock.Monotonic() + milliseconds(30);
  Answer answered_never = Send(client, soon), sent_never = Send(client, soon);
  for (Answer* answer : {&answered_never, &sent_never}) {
    const auto got = answer->get();
    ASSERT_FALSE(got.has_value());
    EXPECT_EQ(got.error().reason, StatusReason::kTimeout);
    EXPECT_EQ(got.error().message, "context deadline exceeded");
  }
  soon.deadline = RealWorld().clock.Monotonic();
  EXPECT_EQ(Send(client, soon).get().error().reason, StatusReason::kTimeout);
  server_.reset();  // a request that was late would still come to `held`
}

TEST_F(AsyncClientTest, ReplacesAConnectionTheServerHasClosed) {
  server::HttpServerOptions options;
  options.idle_timeout = milliseconds(1);
  LetTimeStand();
  StartEcho(options);
  AsyncClient client(RealWorld().clock, {});
  for (int i = 0; i < 3; ++i) {
    AsyncRequest request = Post("/");
    request.is_repeatable = true;
    EXPECT_EQ(Text(Send(client, std::move(request))), "/ {}");
    const PassingTime passes(*this);
    while (server_->connections() != 0) std::this_thread::yield();
  }
}

TEST_F(AsyncClientTest, ChecksTheServersCertificate) {
  const Pki pki = Pki::Make(), foreign = Pki::Make();
  server::HttpServerOptions options;
  options.tls = tls::ServerContext::Create({pki.server, ""}).value();
  StartEcho(options);
  AsyncClient client(RealWorld().clock, {});
  const auto ask = [&](const std::string& name, const Pki& trusted) {
    AsyncRequest request = Post("/");
    request.to.server = {.scheme = Scheme::kHttps, .host = name, .port = 443};
    request.to.address = {.scheme = Scheme::kHttps, .host = "127.0.0.1", .port = server_->port()};
    request.to.tls = tls::ClientContext::Create({.ca_pem = trusted.ca.certificate_pem}).value();
    return Text(Send(client, std::move(request)));
  };
  EXPECT_EQ(ask("localhost", pki), "/ {}");
  EXPECT_THAT(ask("other.example.com", pki),
              HasSubstr("tls: failed to verify certificate: x509: "));
  EXPECT_THAT(ask("localhost", foreign), HasSubstr("tls: failed to verify certificate: x509: "));
}

TEST_F(AsyncClientTest, LooksNamesUp) {
  StartEcho();
  AsyncClient client(RealWorld().clock, {});
  AsyncRequest request = Post("/");
  request.to.server.host = "localhost";
  EXPECT_EQ(Text(Send(client, std::move(request))), "/ {}");
  AsyncRequest unknown = Post("/");
  unknown.to.server.host = "no.such.name.invalid";
  EXPECT_THAT(Text(Send(client, std::move(unknown))),
              HasSubstr("dial tcp: lookup no.such.name.invalid: "));
}

TEST_F(AsyncClientTest, SaysWhenTheServerIsNotThere) {
  StartEcho();
  AsyncRequest request = Post("/");
  server_.reset();
  AsyncClient client(RealWorld().clock, {});
  EXPECT_THAT(Text(Send(client, std::move(request))), HasSubstr(": connect: connection refused"));
}

TEST_F(AsyncClientTest, AnswersHaveALimit) {
  StartServer([](const Request& request, const std::shared_ptr<Responder>& responder) {
    responder->Respond({}, Bytes(std::string(std::stoul(request.target.substr(1)), 'x')));
  });
  AsyncClient client(RealWorld().clock, {});
  for (const size_t size : {size_t{100'000}, size_t{100'001}}) {
    AsyncRequest request = Post("/" + std::to_string(size));
    request.response_bytes_max = 100'000;
    const std::string text = Text(Send(client, std::move(request)));
    EXPECT_EQ(text.size() == size, size == 100'000U) << text.substr(0, 100);
  }
}

TEST_F(AsyncClientTest, LargeBodiesArriveWhole) {
  const Pki pki = Pki::Make();
  server::HttpServerOptions options;
  options.tls = tls::ServerContext::Create({pki.server, ""}).value();
  options.body_bytes_max = size_t{8} << 20;
  StartEcho(options);
  AsyncClient client(RealWorld().clock, {});
  AsyncRequest request = Post("/", std::string(5 << 20, 'b'));
  request.to.server.scheme = Scheme::kHttps;
  request.to.tls = tls::ClientContext::Create({.ca_pem = pki.ca.certificate_pem}).value();
  request.response_bytes_max = size_t{8} << 20;
  EXPECT_EQ(Text(Send(client, std::move(request))).size(), size_t{5 << 20} + 2);
}

TEST_F(AsyncClientTest, ItsEndFailsWhatIsUnderWay) {
  Held held;
  StartServer([&](const Request&, std::shared_ptr<Responder> responder) {
    held.Take(std::move(responder));
  });
  auto client = std::make_unique<AsyncClient>(RealWorld().clock,
                                              AsyncClientOptions{.server_connections_max = 1});
  Answer sent = Send(*client, Post("/")), waiting = Send(*client, Post("/"));
  held.AwaitCount(1);
  client->Close();
  EXPECT_EQ(Text(Send(*client, Post("/"))), "the client is closing");
  client.reset();
  EXPECT_EQ(Text(std::move(sent)), "the client is closing");
  EXPECT_EQ(Text(std::move(waiting)), "the client is closing");
}

}  // namespace
}  // namespace dray::net::client
