// SPDX-License-Identifier: Apache-2.0
// The two clients, over HTTP and in process, are one interface: the same requests, conflicts and
// watches, and the same scheduler, controllers and nodes work over either.
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "allocator/selector_cache.h"
#include "api/codec/json.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim_template.h"
#include "api/resource_v1/device_class.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/task.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "client/http_client.h"
#include "control_plane/in_process_client.h"
#include "controllers/manager.h"
#include "net/server/http_server.h"
#include "node/simulated_nodes.h"
#include "scheduler/scheduler.h"
#include "server/http/http_api.h"
#include "server/verbs/resources.h"
#include "store/memory_store.h"

namespace dray {
namespace {

using api::core_v1::Pod;
using api::resource_v1::ResourceClaim;
using std::chrono::milliseconds;

constexpr std::chrono::minutes kPatience{10};  // only ever used up by a bug

template <class T>
api::Object Parse(std::string_view json) {
  Result<api::Object> object = api::DecodeJson(api::Reflected<T>::kKind, json, nullptr);
  EXPECT_TRUE(object) << object.error().message;
  return *std::move(object);
}

enum class Way { kHttp, kInProcess };

/// A server on loopback and a client of it.
class ClientsTest : public ::testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Wait(resources_.Bootstrap()));
    auto started = net::server::HttpServer::Start(
        world_.clock, log_, {.body_bytes_max = server::http::kBodyBytesMax}, api_);
    ASSERT_TRUE(started) << started.error().message;
    http_ = *std::move(started);
    if (GetParam() == Way::kInProcess) {
      client_ = std::make_unique<control_plane::InProcessClient>(
          resources_, server::verbs::User{.name = "test", .groups = {"system:masters"}});
      return;
    }
    auto client = client::HttpClient::Create(
        world_.clock,
        {.server = "http://127.0.0.1:" + std::to_string(http_->port()), .token = "token"});
    ASSERT_TRUE(client) << client.error().message;
    client_ = *std::move(client);
  }
  void TearDown() override {
    client_.reset();
    if (http_ != nullptr) http_->Shutdown(milliseconds(0));
    api_.Drain();
  }

  static client::ObjectRef Ref(const api::KindInfo& kind, std::string name) {
    return {.kind = &kind, .namespace_ = "default", .name = std::move(name)};
  }

  World& world_ = RealWorld();
  const Log log_ = Log::Silent();
  const api::Scheme scheme_;
  store::MemoryStore store_;
  server::verbs::Resources resources_{scheme_, store_, world_, log_, {}};
  server::http::HttpApi api_{
      resources_,
      world_,
      log_,
      {.authenticator = *server::http::Authenticator::FromTokenFile("token,test,1")}};
  std::unique_ptr<net::server::HttpServer> http_;
  std::unique_ptr<client::Client> client_;
};

constexpr std::string_view kClaim =
    R"({"metadata":{"name":"a","namespace":"default"},"spec":{"devices":{"requests":[)"
    R"({"name":"gpu","exactly":{"deviceClassName":"gpu.example.com"}}]}}})";

TEST_P(ClientsTest, WritesAreReadBackAndConflictsAreSaid) {
  const Result<api::Object> created = client_->Create(Parse<ResourceClaim>(kClaim));
  ASSERT_TRUE(created) << created.error().message;
  EXPECT_FALSE(created->metadata().uid.empty());
  EXPECT_EQ(created->As<ResourceClaim>().spec.devices.requests[0].exactly->count, 1);
  EXPECT_EQ(client_->Create(Parse<ResourceClaim>(kClaim)).error().reason,
            StatusReason::kAlreadyExists);

  const client::ObjectRef ref = Ref(created->kind(), "a");
  api::Object first = created->Clone();
  first.mutable_metadata().labels["by"] = "first";
  api::Object second = created->Clone();
  second.mutable_metadata().labels["by"] = "second";
  ASSERT_TRUE(client_->Update(first, {}));
  const Result<api::Object> refused = client_->Update(second, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, StatusReason::kConflict);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("the object has been modified"));

  const auto patched =
      client_->Patch(ref, client::PatchType::kMerge, R"({"metadata":{"labels":{"n":"1"}}})");
  ASSERT_TRUE(patched) << patched.error().message;
  EXPECT_THAT(
      patched->metadata().labels,
      ::testing::UnorderedElementsAre(::testing::Pair("by", "first"), ::testing::Pair("n", "1")));
  const auto list = client_->List(created->kind(), {.label_selector = "n=1"});
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->items.size(), 1U);
  EXPECT_EQ(list->items[0], *patched);

  ASSERT_TRUE(client_->Delete(ref, {}));
  EXPECT_EQ(client_->Get(ref).error().reason, StatusReason::kNotFound);
}

/// Collects the events of a watch, and lets a test wait for them.
class Collector {
 public:
  client::WatchHandler handler() {
    return {.events = [this](const std::vector<client::WatchEvent>& events) { Add(events); },
            .ended = [](const Error&) {}};
  }
  /// Names and types so far, once there are `count`.
  std::vector<std::string> WaitFor(size_t count) {
    const MonotonicTime end = RealWorld().clock.Monotonic() + kPatience;
    for (;;) {
      {
        const MutexLock lock(mutex_);
        if (seen_.size() >= count) return seen_;
      }
      if (RealWorld().clock.Monotonic() > end) return {};
      wakeup_.WaitFor(milliseconds(200));
    }
  }

 private:
  void Add(const std::vector<client::WatchEvent>& events) {
    const MutexLock lock(mutex_);
    for (const client::WatchEvent& event : events) {
      if (event.type == client::WatchEventType::kBookmark) continue;
      const char* const word = event.type == client::WatchEventType::kAdded      ? "added "
                               : event.type == client::WatchEventType::kModified ? "modified "
                                                                                 : "deleted ";
      seen_.push_back(word + event.object.metadata().name);
    }
    wakeup_.Wake();
  }

  Wakeup wakeup_;
  Mutex mutex_;
  std::vector<std::string> seen_ DRAY_GUARDED_BY(mutex_);
};

TEST_P(ClientsTest, WatchesDeliverEveryChangeInOrder) {
  const api::KindInfo& kind = api::Reflected<ResourceClaim>::kKind;
  const auto list = client_->List(kind, {});
  ASSERT_TRUE(list) << list.error().message;
  Collector collector;
  const auto watch = client_->StartWatch(kind, {}, list->resource_version, collector.handler());
  ASSERT_TRUE(watch) << watch.error().message;
  ASSERT_TRUE(client_->Create(Parse<ResourceClaim>(kClaim)));
  ASSERT_TRUE(client_->Patch(
      Ref(kind, "a"), client::PatchType::kMerge, R"({"metadata":{"labels":{"n":"1"}}})"));
  ASSERT_TRUE(client_->Delete(Ref(kind, "a"), {}));
  EXPECT_THAT(collector.WaitFor(3), ::testing::ElementsAre("added a", "modified a", "deleted a"));
}

/// A component's loop on a thread.
template <class Component>
class Running {
 public:
  explicit Running(Component& component)
      : component_(component), thread_([&component] { component.Run(); }) {}
  ~Running() {
    component_.Stop();
    thread_.join();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  Component& component_;
  std::thread thread_;
};

TEST_P(ClientsTest, TheControlPlaneBindsAPodWithAClaim) {
  node::SimulatedNodes nodes(
      *client_, world_, log_, {.publish = {.groups = {{.profile = "example", .count = 1}}}});
  ASSERT_TRUE(nodes.Publish());
  controllers::Manager manager(*client_, world_, log_, resources_.scheme(), {});
  scheduler::Scheduler scheduler(
      *client_,
      world_,
      log_,
      {.selectors = std::make_shared<allocator::SelectorCache>(cel::Environment(), 100)});
  ASSERT_TRUE(client_->Create(Parse<api::resource_v1::DeviceClass>(
      R"({"metadata":{"name":"gpu.example.com"},"spec":{"selectors":[)"
      R"({"cel":{"expression":"device.driver == 'gpu.example.com'"}}]}})")));
  ASSERT_TRUE(client_->Create(Parse<api::resource_v1::ResourceClaimTemplate>(
      R"({"metadata":{"name":"one","namespace":"default"},"spec":{"spec":{"devices":{"requests":[)"
      R"({"name":"gpu","exactly":{"deviceClassName":"gpu.example.com"}}]}}}})")));
  ASSERT_TRUE(client_->Create(
      Parse<Pod>(R"({"metadata":{"name":"p","namespace":"default"},"spec":{"containers":[)"
                 R"({"name":"c","image":"i","resources":{"claims":[{"name":"gpu"}]}}],)"
                 R"("resourceClaims":[{"name":"gpu","resourceClaimTemplateName":"one"}]}})")));
  Wakeup changed;
  const auto list = client_->List(api::Reflected<Pod>::kKind, {});
  ASSERT_TRUE(list);
  const auto watch = client_->StartWatch(
      api::Reflected<Pod>::kKind,
      {},
      list->resource_version,
      {.events = [&](const auto&) { changed.Wake(); }, .ended = [](const Error&) {}});
  ASSERT_TRUE(watch);

  const Running<node::SimulatedNodes> run_nodes(nodes);
  const Running<controllers::Manager> run_manager(manager);
  const Running<scheduler::Scheduler> run_scheduler(scheduler);
  const MonotonicTime end = world_.clock.Monotonic() + kPatience;
  std::string phase;
  while (phase != "Running" && world_.clock.Monotonic() < end) {
    changed.WaitFor(milliseconds(200));
    const auto pod = client_->Get(Ref(api::Reflected<Pod>::kKind, "p"));
    ASSERT_TRUE(pod) << pod.error().message;
    phase = pod->As<Pod>().status.phase;
  }
  EXPECT_EQ(phase, "Running");
  const auto claims = client_->List(api::Reflected<ResourceClaim>::kKind, {});
  ASSERT_TRUE(claims);
  ASSERT_EQ(claims->items.size(), 1U);
  const auto& claim = claims->items[0].As<ResourceClaim>();
  ASSERT_TRUE(claim.status.allocation.has_value());
  EXPECT_EQ(claim.status.allocation->devices.results[0].device, "gpu-0");
  ASSERT_EQ(claim.status.reserved_for.size(), 1U);
  EXPECT_EQ(claim.status.reserved_for[0].name, "p");
  EXPECT_THAT(claim.metadata.finalizers,
              ::testing::ElementsAre("resource.kubernetes.io/delete-protection"));
}

INSTANTIATE_TEST_SUITE_P(BothWays,
                         ClientsTest,
                         ::testing::Values(Way::kHttp, Way::kInProcess),
                         [](const auto& way) {
                           return way.param == Way::kHttp ? "Http" : "InProcess";
                         });

}  // namespace
}  // namespace dray
