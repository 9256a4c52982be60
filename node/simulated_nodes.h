// SPDX-License-Identifier: Apache-2.0
// Simulated nodes: publishes them with their devices, then runs the pods bound to them, and those
// on nodes without an agent. The shell around profile.h, node_keepers.h and pod_lifecycle.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
#include "node/node_keepers.h"
#include "node/node_publisher.h"
#include "node/pod_lifecycle.h"

namespace dray::node {

/// The nodes whose pods run. On nodes without an agent, pods that are being deleted go with any
/// choice.
enum class Simulate : uint8_t {
  kAny,  // of our own nodes, and of those that no agent keeps alive
  kOwn,
  kNone,
};

/// One thread runs Run() for all nodes. The client and the world outlive it.
class SimulatedNodes {
 public:
  struct Options {
    NodePublisher::Options publish;
    Simulate simulate = Simulate::kAny;
    client::WorkQueue::Options queue = {};
  };

  SimulatedNodes(client::Client& client, World& world, Log log, Options options);
  ~SimulatedNodes();
  SimulatedNodes(const SimulatedNodes&) = delete;
  SimulatedNodes& operator=(const SimulatedNodes&) = delete;

  /// Creates nodes and slices that are not there yet. What the API refuses, Run() tries again, so
  /// that no policy keeps a server from starting. Call it before Run(), once.
  /// Errors: kNotFound  no such profile.
  Result<> Publish();
  /// Runs pods until Stop().
  void Run();
  /// From any thread.
  void Stop();
  /// One turn of Run, for tests and simulation.
  std::optional<MonotonicTime> Step();

 private:
  void PublishAgain(MonotonicTime now);
  void OnPod(const api::Object* before, const api::Object* after);
  void OnClaim(const api::Object* before, const api::Object* after);
  void OnNode(const api::Object* before, const api::Object* after);
  void OnLease(const api::Object* before, const api::Object* after);
  void EnqueuePodsOn(std::string_view node);
  void ReportAbandonedNodes();
  void Enqueue(const std::string& key);
  Result<> Handle(const std::string& key);
  /// What of a pod on that node is for us.
  struct Part {
    enum class What : uint8_t { kAll, kRemoval, kNothing };
    What what = What::kNothing;
    std::optional<api::Time> ask_again = {};
  };
  Part PartOf(std::string_view node, api::Time now) const;
  Result<> RunPod(const api::Object& pod);
  void LookAgain(const std::string& key, api::Time at);
  Result<> RefreshClaims(const api::core_v1::Pod& pod);
  Result<> Perform(const api::Object& pod, const PodAction& action);
  NodeFacts FactsFor(const api::core_v1::Pod& pod);

  client::Client& client_;
  World& world_;
  Log log_;
  Options options_;
  NodePublisher publisher_;
  client::Loop loop_;
  client::EventRecorder events_;
  client::WorkQueue queue_;
  bool queue_overflowed_ = false;
  std::map<std::string, size_t, std::less<>> own_;      // by name, with their numbers
  std::map<std::string, size_t, std::less<>> numbers_;  // of all whose pods we run
  NodeKeepers keepers_;
  bool reported_abandoned_ = false;
  MonotonicTime publish_again_{};
  uint32_t next_ip_ = 1;

  client::Informer claims_;
  client::Informer pods_;
  client::Informer nodes_;
  client::Informer leases_;
  size_t pods_by_claim_ = 0;
  size_t pods_by_node_ = 0;
};

}  // namespace dray::node
