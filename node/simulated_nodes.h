// SPDX-License-Identifier: Apache-2.0
// Simulated nodes: publishes them with their devices, then runs the pods bound to them. The shell
// around profile.h and pod_lifecycle.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/pod.h"
#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "client/client.h"
#include "client/event_recorder.h"
#include "client/informer.h"
#include "client/loop.h"
#include "client/work_queue.h"
#include "node/pod_lifecycle.h"

namespace dray::node {

/// One thread runs Run() for all nodes. The client and the world outlive it.
class SimulatedNodes {
 public:
  struct Options {
    struct Group {
      std::string profile;
      size_t count = 0;
    };
    std::vector<Group> profiles;
    client::WorkQueue::Options queue = {};
    /// What the nodes say they can do, in order (status.declaredFeatures).
    std::vector<std::string> declared_features = {};
  };

  SimulatedNodes(client::Client& client, World& world, Log log, Options options);
  ~SimulatedNodes();
  SimulatedNodes(const SimulatedNodes&) = delete;
  SimulatedNodes& operator=(const SimulatedNodes&) = delete;

  /// Creates nodes and slices that are not there yet. Call it before Run(), once.
  /// Errors: kNotFound  no such profile. Those of the API.
  Result<> Publish();
  /// Runs pods until Stop().
  void Run();
  /// From any thread.
  void Stop();
  /// One turn of Run, for tests and simulation.
  std::optional<MonotonicTime> Step();

 private:
  Result<> PublishNode(std::string_view profile, size_t number);
  Result<> CreateIfMissing(const api::Object& object);
  void OnPod(const api::Object* before, const api::Object* after);
  void OnClaim(const api::Object* before, const api::Object* after);
  void Enqueue(const std::string& key);
  Result<> Handle(const std::string& key);
  Result<> RefreshClaims(const api::core_v1::Pod& pod);
  Result<> Perform(const api::Object& pod, const PodAction& action);
  NodeFacts FactsFor(const api::core_v1::Pod& pod);

  client::Client& client_;
  World& world_;
  Log log_;
  Options options_;
  client::Loop loop_;
  client::EventRecorder events_;
  client::WorkQueue queue_;
  bool queue_overflowed_ = false;
  std::map<std::string, size_t, std::less<>> numbers_;  // of our nodes, by name
  uint32_t next_ip_ = 1;

  client::Informer claims_;
  client::Informer pods_;
  size_t pods_by_claim_ = 0;
};

}  // namespace dray::node
