// SPDX-License-Identifier: Apache-2.0
// Requests that wait, over real sockets: what the server counts and logs about them.
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "base/simulated_world.h"
#include "net/http.h"
#include "net/reactor.h"
#include "net/request_tracker.h"
#include "net/server/http_server.h"
#include "net/testing/server_fixture.h"

namespace dray::net::server {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using testing::FunctionHandler;
using ::testing::HasSubstr;
using testing::RawSocket;

constexpr size_t kLargeBytes = size_t{16} << 20;
constexpr int kSmallBufferBytes = 4096;

/// A server whose clock moves when told.
class RequestWaitsTest : public ::testing::Test {
 protected:
  void StartServer(FunctionHandler::Function function, FunctionHandler::Judge knows = nullptr) {
    handler_ = std::make_unique<FunctionHandler>(std::move(function), std::move(knows));
    server_ = *HttpServer::Start(clock_, log_, {.send_buffer_bytes = kSmallBufferBytes}, *handler_);
  }
  void Advance(std::chrono::nanoseconds by) {
    clock_.Advance(by);
    reactor().Post([] {});  // the loop looks at its alarms
  }
  /// When the reactor has done all that is to be done now.
  void Settle() {
    reactor().Post([this] { settled_.Add(""); });
    settled_.Next();
  }
  Reactor& reactor() { return *server_->reactors().front(); }

  SimulatedClock clock_;
  testing::Events events_, lines_, settled_;
  Log log_{clock_, [this](std::string_view line) { lines_.Add(std::string(line)); }, {}};
  std::unique_ptr<FunctionHandler> handler_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(RequestWaitsTest, APeerThatDoesNotRead) {
  StartServer([&](const Request&, const std::shared_ptr<Responder>& responder) {
    responder->Respond({}, Bytes(std::string(kLargeBytes, 'x')));
    responder->reactor().Post([&] { events_.Add("answered"); });
  });
  const RawSocket client(server_->port(), kSmallBufferBytes);
  client.Send("GET /large HTTP/1.1\r\nHost: h\r\nUser-Agent: slow/1\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(events_.Next(), "answered");
  Settle();  // an answer is written after what its request posts
  EXPECT_EQ(server_->request_waits().answers_waited_for_peer, 1U);
  Advance(seconds(12));
  EXPECT_EQ(server_->request_waits().oldest_age, seconds(12));
  EXPECT_THAT(lines_.Next(),
              AllOf(HasSubstr("\"request waits\" method=\"GET\" path=\"/large\" agent=\"slow/1\""),
                    HasSubstr("seconds=12 state=\"peer slow\"")));
  EXPECT_GT(client.ReadAll().size(), kLargeBytes);
  Settle();
  EXPECT_EQ(server_->request_waits().oldest_age, seconds(0));
  EXPECT_EQ(server_->request_waits().answers_waited_for_peer, 1U);
}

TEST_F(RequestWaitsTest, ABodyThatNeverComes) {
  StartServer([](const Request&, const std::shared_ptr<Responder>&) {},
              [&](const Request&) {
                events_.Add("head");
                return true;
              });
  RawSocket client(server_->port());
  client.Send("POST /half HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf");
  EXPECT_EQ(events_.Next(), "head");
  Advance(seconds(10));
  EXPECT_THAT(lines_.Next(), AllOf(HasSubstr("path=\"/half\""), HasSubstr("state=\"reading\"")));
  client.Close();
  server_->Shutdown(std::chrono::milliseconds(0));
  EXPECT_EQ(server_->request_waits().oldest_age, seconds(0));
  EXPECT_EQ(server_->request_waits().answers_waited_for_peer, 0U);
}

TEST_F(RequestWaitsTest, AHandlerThatDoesNotAnswer) {
  std::shared_ptr<Responder> kept;
  StartServer([&](const Request&, const std::shared_ptr<Responder>& responder) {
    kept = responder;
    events_.Add("asked");
  });
  const RawSocket client(server_->port());
  client.Send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(events_.Next(), "asked");
  Advance(seconds(10));
  EXPECT_THAT(lines_.Next(), AllOf(HasSubstr("path=\"/slow\""), HasSubstr("state=\"deciding\"")));
  reactor().Post([&] { kept->MarkLongRunning(); });
  Settle();
  EXPECT_EQ(server_->request_waits().oldest_age, seconds(0)) << "it takes long by design";
  reactor().Post([&] { std::exchange(kept, nullptr)->Respond({}, Bytes("ok")); });
  EXPECT_THAT(client.ReadUntil("ok"), HasSubstr("200"));
}

TEST_F(RequestWaitsTest, AWatchLasts) {
  std::shared_ptr<Responder> watch;
  StartServer([&](const Request&, const std::shared_ptr<Responder>& responder) {
    watch = responder;
    watch->Start({});
    events_.Add("started");
  });
  const RawSocket client(server_->port());
  client.Send("GET /watch HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(events_.Next(), "started");
  Advance(seconds(100));
  Settle();
  EXPECT_EQ(server_->request_waits().oldest_age, seconds(0));
  EXPECT_TRUE(lines_.empty());
  server_->Shutdown(std::chrono::milliseconds(0));
}

}  // namespace
}  // namespace dray::net::server
