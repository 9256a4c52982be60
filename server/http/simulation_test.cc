// SPDX-License-Identifier: Apache-2.0
// The whole API on a simulated network, driven by a seed: peers of every kind list, page, create,
// read and watch, while workers and other writers act at any moment. When nothing can happen any
// more except that time passes, no peer may wait for an answer, and every watch must have every
// event.
//
// The tests mutant.server.* run this program with faults in the sources: it must find each of them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "base/simulated_world.h"
#include "base/task.h"
#include "base/worker_pool.h"
#include "net/testing/peer_protocol.h"
#include "net/testing/simulated_network.h"
#include "net/testing/simulated_peer.h"
#include "net/testing/simulated_server.h"
#include "server/http/http_api.h"
#include "server/verbs/context/answer.h"
#include "server/verbs/context/request.h"
#include "server/verbs/resources.h"
#include "store/memory_store.h"
#include "tests/soak.h"

namespace dray::server::http {
namespace {

using net::testing::OnAnotherThread;
using net::testing::PeerAnswer;
using net::testing::PeerRequest;
using net::testing::SimulatedNetwork;
using net::testing::SimulatedPeer;
using net::testing::SimulatedServer;

constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";
constexpr int kWritesMax = 40;  // of one writer beside the peers

class SimulatedApi {
 public:
  SimulatedApi(uint64_t seed, bool is_tracing)
      : server_(seed, is_tracing),
        network_(server_.network()),
        workers_(0),
        resources_(scheme_, store_, world_.world(), Log::Silent(), {.workers = &workers_}),
        api_(resources_,
             world_.world(),
             Log::Silent(),
             {.authenticator =
                  *Authenticator::FromTokenFile("secret,admin,u1,\"system:masters\"")}) {
    EXPECT_TRUE(Wait(resources_.Bootstrap()).has_value());
    only_watches_ = network_.OneIn(4);
    const size_t there = only_watches_ ? 1 : network_.OneOf({0, 3, 200});
    const size_t bytes =
        network_.OneOf({1'000, 30'000});  // 200 of these are more than a stream's queue can hold
    for (size_t i = 0; i < there; ++i) Create(bytes);
    for (uint64_t peers = 1 + network_.Below(3); peers > 0; --peers) AddPeer();
  }

  std::string Run() {
    const SimulatedServer::Surroundings surroundings{.handler = api_,
                                                     .act = [this] { return ActElsewhere(); },
                                                     .judge = [this] { return JudgeWatches(); },
                                                     .drains = network_.OneIn(4)};
    std::string wrong = server_.Run(surroundings);
    api_.Drain();
    return wrong;
  }
  std::string trace() const { return server_.trace(); }

 private:
  void AddPeer() {
    SimulatedPeer::Habits habits =
        only_watches_ ? SimulatedPeer::BurstyHabits(network_) : SimulatedPeer::SomeHabits(network_);
    if (only_watches_) habits.manner = SimulatedPeer::Manner::kStays;
    habits.requests.next = [this] { return NextRequest(); };
    habits.requests.judge = [](const PeerRequest& request, const PeerAnswer& answer) {
      if (answer.status < 500) return std::string();
      return fmt::format("{} was answered {}", request.path, answer.status);
    };
    server_.AddPeer(habits);
  }

  PeerRequest NextRequest() {
    PeerRequest request{.method = "GET", .path = kMaps};
    request.fields = {{"authorization", "Bearer secret"}};
    switch (only_watches_ ? 3 : network_.Below(8)) {
      case 0: request.path += "?limit=7"; break;
      case 1: request.path += "/map-1"; break;
      case 2:
        request.method = "POST";
        request.fields.emplace_back("content-type", "application/json");
        request.body = MapText(network_.OneOf({10, 70'000}));
        break;
      case 3:
      case 4:
        request.path += "?watch=1&resourceVersion=0&timeoutSeconds=5";
        request.lasts = true;
        break;
      case 5: request.fields.emplace_back("accept-encoding", "gzip"); break;
      case 6:
        request.fields.emplace_back("accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
        break;
      default: break;
    }
    return request;
  }

  std::string MapText(size_t bytes) {
    return fmt::format(R"({{"metadata":{{"name":"map-{}"}},"data":{{"a":"{}"}}}})",
                       next_name_++,
                       std::string(bytes, 'x'));
  }

  void Create(size_t bytes) {
    verbs::ResourceRequest request;
    request.verb = verbs::Verb::kCreate;
    request.kind = scheme_.FindResource("", "v1", "configmaps");
    request.namespace_ = "default";
    request.body = MapText(bytes);
    EXPECT_TRUE(Wait(resources_.Handle(std::move(request))).has_value());
  }

  /// A worker carries out one function, or another client writes an object.
  bool ActElsewhere() {
    const bool writes = writes_ < kWritesMax && network_.OneIn(only_watches_ ? 100 : 10);
    if (writes) {
      ++writes_;
      const size_t bytes = only_watches_ ? 10 : network_.OneOf({10, 1'000, 50'000});
      OnAnotherThread([&] { Create(bytes); });
      return true;
    }
    bool has_worked = false;
    if (workers_.queued() == 0) return false;
    OnAnotherThread([&] { has_worked = workers_.RunOne(); });
    return has_worked;
  }

  size_t MapsThere() {
    verbs::ResourceRequest request;
    request.verb = verbs::Verb::kList;
    request.kind = scheme_.FindResource("", "v1", "configmaps");
    request.namespace_ = "default";
    const auto answer = Wait(resources_.Handle(std::move(request)));
    return std::get<verbs::ListAnswer>(answer.value().outcome.value()).items.size();
  }

  /// Checks the watches. Each begins with all objects, and objects are only added.
  std::string JudgeWatches() {
    const size_t maps = MapsThere();
    for (const auto& peer : server_.peers()) {
      for (const size_t lines : peer->lasting_lines()) {
        if (lines != maps)
          return fmt::format("stands still: a watch has {} of {} events", lines, maps);
      }
    }
    return {};
  }

  SimulatedServer server_;
  SimulatedNetwork& network_;
  SimulatedWorld world_{7};
  api::Scheme scheme_;
  store::MemoryStore store_;
  WorkerPool workers_;
  verbs::Resources resources_;
  HttpApi api_;
  bool only_watches_ = false;  // many of them, on one connection of each peer
  int writes_ = 0;
  int next_name_ = 0;
};

// DRAY_SEED=7 runs one seed alone.
TEST(ApiSimulation, NoRequestAndNoWatchStandsStill) {
  const char* const only = std::getenv("DRAY_SEED");  // NOLINT(concurrency-mt-unsafe): one thread
  const uint64_t first = only == nullptr ? 0 : std::strtoull(only, nullptr, 10);
  const uint64_t count = only == nullptr ? Instances(30) : 1;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    if (SimulatedApi(seed, false).Run().empty()) continue;
    SimulatedApi again(seed, true);
    const std::string wrong = again.Run();
    FAIL() << "seed " << seed << ": " << wrong << "\n" << again.trace();
  }
}

}  // namespace
}  // namespace dray::server::http
