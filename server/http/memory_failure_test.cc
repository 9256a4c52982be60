// SPDX-License-Identifier: Apache-2.0
// Requests that run out of memory: the first, the second, … the last allocation of a request fails,
// one at a time. Each time the request is answered once, with 500 when it cannot be carried out,
// and the server handles the next request correctly.
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "base/simulated_world.h"
#include "base/task.h"
#include "base/testing/failing_memory.h"
#include "net/http.h"
#include "net/reactor.h"
#include "server/http/http_api.h"
#include "server/verbs/resources.h"
#include "server/verbs/watches/watch_hub.h"
#include "store/memory_store.h"
#include "store/record.h"
#include "store/store.h"

namespace dray::server::http {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

struct Noted {
  int answers = 0;
  int status = 0;
  bool is_over = false;  // the responder is destroyed: an unanswered client is disconnected
  bool has_failed = false;
  std::string body;
};

/// Keeps the answer. Its own memory does not count as the request's.
class NotingResponder final : public net::Responder {
 public:
  NotingResponder(net::Reactor& reactor, std::shared_ptr<Noted> noted)
      : reactor_(reactor), noted_(std::move(noted)) {}
  NotingResponder(const NotingResponder&) = delete;
  NotingResponder& operator=(const NotingResponder&) = delete;
  ~NotingResponder() override { noted_->is_over = true; }
  void Respond(net::ResponseHead head, net::Body body) override {
    const dray::testing::AllocationsNotCounted not_counted;
    ++noted_->answers;
    noted_->status = head.status;
    noted_->body = body.Joined();
  }
  void Start(net::ResponseHead head) override {
    ++noted_->answers;
    noted_->status = head.status;
  }
  net::WriteOutcome Write(net::Bytes /*piece*/) override { return net::WriteOutcome::kQueued; }
  void Finish() override {}
  void Abort() override {}
  size_t queued_bytes() const override { return 0; }
  bool closed() const override { return false; }
  void OnClose(std::function<void()> /*callback*/) override {}
  void OnWritable(std::function<void()> /*callback*/) override {}
  void OnShutdown(std::function<void()> /*callback*/) override {}
  net::Reactor& reactor() override { return reactor_; }

 private:
  net::Reactor& reactor_;
  const std::shared_ptr<Noted> noted_;
};

class MemoryFailure : public ::testing::Test {
 protected:
  MemoryFailure()
      : resources_(scheme_, store_, world_.world(), Log::Silent(), {}),
        api_(resources_,
             world_.world(),
             Log::Silent(),
             {.authenticator = *Authenticator::FromTokenFile("secret,user,u1")}) {
    EXPECT_TRUE(Wait(resources_.Bootstrap()).has_value());
  }

  /// Runs the request on this thread, which is the reactor's, with all functions that it posts.
  Noted Ask(std::string_view method, std::string_view target, std::string_view body, int fail_at) {
    const auto noted = std::make_shared<Noted>();
    net::Reactor reactor(world_.world().clock);
    reactor.Post([&] {
      net::Request request{.method = std::string(method), .target = std::string(target)};
      request.body = body;
      request.headers.Add("Authorization", "Bearer secret");
      request.headers.Add("Content-Type",
                          method == "PATCH" ? "application/merge-patch+json" : "application/json");
      request.peer = std::make_shared<const net::Peer>(net::Peer{.address = "127.0.0.1:1"});
      auto responder = std::make_shared<NotingResponder>(reactor, noted);
      dray::testing::TakeAllocationFailed();
      dray::testing::FailAllocationAfter(fail_at);
      try {
        api_.Handle(std::move(request), std::move(responder));
      } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): as its caller does it
        // The connection ends (net/server/connection.cc).
      }
      dray::testing::FailAllocationAfter(-1);
      noted->has_failed = dray::testing::TakeAllocationFailed();
      reactor.Post([&] { reactor.Stop(); });
    });
    reactor.Run();
    return *noted;
  }

  /// Fails every allocation of the request in turn; `after` checks the server each time.
  void FailEverywhere(std::string_view method,
                      std::string_view target,
                      std::string_view body,
                      const std::function<void(const Noted&)>& after) {
    int failures = 0;
    for (int at = 0;; ++at) {
      const Noted noted = Ask(method, target, body, at);
      EXPECT_LE(noted.answers, 1) << method << ", allocation " << at;
      EXPECT_TRUE(noted.is_over) << method << ", allocation " << at;
      if (noted.has_failed && noted.status == 500) {
        EXPECT_THAT(noted.body, HasSubstr("out of memory")) << at;
        ++failures;
      }
      after(noted);
      if (!noted.has_failed) {
        EXPECT_THAT(noted.status, AnyOf(200, 201)) << noted.body;
        break;
      }
    }
    EXPECT_GT(failures, 10) << method;
  }

  SimulatedWorld world_{7};
  api::Scheme scheme_;
  store::MemoryStore store_;
  verbs::Resources resources_;
  HttpApi api_;
};

constexpr std::string_view kFailingMaps = "/api/v1/namespaces/default/configmaps";
constexpr std::string_view kFailingClaims =
    "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";

TEST_F(MemoryFailure, EndsAReadAlone) {
  if (!dray::testing::WhyAllocationsSucceed().empty())
    GTEST_SKIP() << dray::testing::WhyAllocationsSucceed();
  ASSERT_EQ(Ask("POST", kFailingMaps, R"({"metadata":{"name":"a"}})", -1).status, 201);
  const auto whole = [&](const Noted&) { EXPECT_EQ(Ask("GET", kFailingMaps, "", -1).status, 200); };
  FailEverywhere("GET", std::string(kFailingMaps) + "/a", "", whole);
  FailEverywhere("GET", kFailingMaps, "", whole);
  FailEverywhere("GET", std::string(kFailingMaps) + "?labelSelector=a%3Db&limit=1", "", whole);
  FailEverywhere("GET", std::string(kFailingMaps) + "?watch=1", "", whole);
}

// A failed request may have been written or not, as with every 500, but never in part.
TEST_F(MemoryFailure, EndsAWriteAlone) {
  if (!dray::testing::WhyAllocationsSucceed().empty())
    GTEST_SKIP() << dray::testing::WhyAllocationsSucceed();
  const std::string claim =
      R"({"metadata":{"name":"c","labels":{"l":"v"}},"spec":{"devices":{"requests":[{"name":"r",)"
      R"("exactly":{"deviceClassName":"x","selectors":[{"cel":{"expression":"true"}}]}}]}}})";
  const std::string item = std::string(kFailingClaims) + "/c";
  FailEverywhere("POST", kFailingClaims, claim, [&](const Noted& noted) {
    const Noted there = Ask("GET", item, "", -1);
    if (noted.status == 201) {
      EXPECT_EQ(there.status, 200);
    } else {
      EXPECT_THAT(there.status, AnyOf(200, 404));
    }
    if (there.status == 200) {
      EXPECT_THAT(there.body, AllOf(HasSubstr(R"("l":"v")"), HasSubstr("uid")));
      EXPECT_EQ(Ask("DELETE", item, "", -1).status, 200);
    }
  });
  ASSERT_EQ(Ask("POST", kFailingClaims, claim, -1).status, 201);
  int round = 0;
  FailEverywhere("PATCH", item, R"({"metadata":{"labels":{"n":"m"}}})", [&](const Noted&) {
    const std::string next = fmt::format(R"({{"metadata":{{"labels":{{"n":"{}"}}}}}})", round++);
    EXPECT_EQ(Ask("PATCH", item, next, -1).status, 200);
  });
  FailEverywhere("DELETE", item, "", [&](const Noted& noted) {
    const Noted there = Ask("GET", item, "", -1);
    EXPECT_THAT(there.status, AnyOf(200, 404));
    if (there.status == 404 && noted.has_failed) {
      EXPECT_EQ(Ask("POST", kFailingClaims, claim, -1).status, 201);
    }
  });
}

TEST(WatchHubWithoutMemory, WakesTheOthersAndThoseAgain) {
  if (!dray::testing::WhyAllocationsSucceed().empty())
    GTEST_SKIP() << dray::testing::WhyAllocationsSucceed();
  store::MemoryStore store;
  verbs::WatchHub hub(store);
  const std::string key = "/registry/configmaps/default/a";
  const auto put = [&] {
    const auto done = store.CommitAndWait(
        {.operations = {store::Put{.key = key, .value = store::MakeBytes("v")}}});
    EXPECT_TRUE(done.has_value());
  };
  int hungry_wakes = 0;
  int other_wakes = 0;
  const auto hungry = hub.Add("/registry/configmaps/", verbs::WakeableOf([&] {
                                if (++hungry_wakes == 1) throw std::bad_alloc();
                              }));
  const auto other = hub.Add("/registry/configmaps/", verbs::WakeableOf([&] { ++other_wakes; }));
  put();
  EXPECT_EQ(other_wakes, 1);
  const auto elsewhere = store.CommitAndWait(
      {.operations = {store::Put{.key = "/registry/pods/p", .value = store::MakeBytes("v")}}});
  ASSERT_TRUE(elsewhere.has_value());
  EXPECT_EQ(hungry_wakes, 2) << "for the commit before";
}

}  // namespace
}  // namespace dray::server::http
