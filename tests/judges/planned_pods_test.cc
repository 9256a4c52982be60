// SPDX-License-Identifier: Apache-2.0
// What `dray whatif` says of pods is what the scheduler then does with them: random clusters, the
// same pods planned and created, with rules about other pods, ports, processors, volumes and gates.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "api/core_v1/persistent_volume_claim.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "api/storage_v1/storage_class.h"
#include "api/value/quantity.h"
#include "base/simulated_world.h"
#include "client/testing/memory_client.h"
#include "dray/selector.h"
#include "planning/offline_cluster.h"
#include "planning/offline_objects.h"
#include "scheduler/configuration/configuration.h"
#include "scheduler/scheduler.h"
#include "tests/judges/holder_claims.h"
#include "tests/judges/problem.h"
#include "tests/judges/problem_json.h"
#include "tests/judges/random_problem.h"
#include "tests/soak.h"

namespace dray::judges {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

constexpr const char* kNamespace = "lab";
constexpr int kPods = 3;  // each with all claims of the problem, anew

/// What became of a pod.
struct Fate {
  bool fits = false;
  std::string message;               // where it does not
  std::vector<std::string> devices;  // "claim request driver/pool/device"
  bool operator==(const Fate&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Fate& fate) {
  out << (fate.fits ? "fits" : fate.message);
  for (const std::string& device : fate.devices) out << "\n  " << device;
  return out;
}

void AddDevices(const v1::ResourceClaim& claim, std::vector<std::string>& devices) {
  if (!claim.status.allocation.has_value()) return;
  for (const auto& result : claim.status.allocation->devices.results) {
    devices.push_back(fmt::format("{} {} {}/{}/{}",
                                  claim.metadata.name,
                                  result.request,
                                  result.driver,
                                  result.pool,
                                  result.device));
  }
}

/// What pods want beside devices: rules about other pods, ports, processors, volumes, gates.
class RandomRules {
 public:
  explicit RandomRules(uint64_t seed) : random_(seed) {}

  core::Node On(core::Node node) {
    node.metadata.labels["zone"] = Below(2) == 0 ? "east" : "west";
    node.metadata.labels[kHost] = node.metadata.name;
    if (Below(2) == 0) {
      node.status.allocatable["cpu"] = api::Quantity::Parse("4").value();
      node.status.allocatable["pods"] = api::Quantity::Parse("2").value();
    }
    if (Below(8) == 0)
      node.spec.taints.push_back({.key = "busy", .value = "", .effect = "NoSchedule"});
    return node;
  }

  void On(core::Pod& pod) {
    pod.metadata.labels["app"] = App();
    if (Below(4) == 0) {
      Rules(pod)
          .pod_anti_affinity.emplace()
          .required_during_scheduling_ignored_during_execution.push_back(Term());
    }
    if (Below(5) == 0) {
      Rules(pod)
          .pod_affinity.emplace()
          .required_during_scheduling_ignored_during_execution.push_back(Term());
    }
    if (Below(4) == 0) pod.spec.topology_spread_constraints.push_back(Spread());
    core::Container& container = pod.spec.containers.emplace_back();
    container.name = "main";
    if (Below(5) == 0) container.ports.push_back({.host_port = 80, .container_port = 80});
    if (Below(4) == 0) {
      container.resources.requests["cpu"] =
          api::Quantity::Parse(std::to_string(1 + Below(3))).value();
    }
    if (Below(5) == 0) pod.spec.tolerations.push_back({.key = "busy", .operator_ = "Exists"});
    if (Below(8) == 0) pod.spec.scheduling_gates.push_back({.name = "example.com/wait"});
    if (Below(8) == 0) {
      auto& volume = pod.spec.volumes.emplace_back();
      volume.name = "data";
      volume.volume_source.persistent_volume_claim.emplace().claim_name = "data";
    }
  }

  /// The volume claim of some pods; missing, or without a volume that is to come at once or later.
  void AddVolumes(std::map<std::string, api::Object>& objects) {
    if (Below(3) == 0) return;
    core::PersistentVolumeClaim claim;
    claim.metadata = {.name = "data", .namespace_ = kNamespace, .uid = "uid-of-data"};
    claim.spec.storage_class_name = Below(2) == 0 ? "late" : "at-once";
    objects.emplace("data", api::Object::Of(std::move(claim)));
    api::storage_v1::StorageClass late;
    late.metadata = {.name = "late", .uid = "uid-of-late"};
    late.provisioner = "example.com/disks";
    late.volume_binding_mode = "WaitForFirstConsumer";
    objects.emplace("late", api::Object::Of(std::move(late)));
  }

 private:
  static constexpr const char* kHost = "kubernetes.io/hostname";

  uint64_t Below(uint64_t bound) { return random_.Next() % bound; }
  std::string App() { return Below(2) == 0 ? "web" : "db"; }
  std::string Key() { return Below(2) == 0 ? "zone" : kHost; }
  static core::Affinity& Rules(core::Pod& pod) {
    return pod.spec.affinity.has_value() ? *pod.spec.affinity : pod.spec.affinity.emplace();
  }
  core::PodAffinityTerm Term() {
    core::PodAffinityTerm term;
    term.label_selector.emplace().match_labels["app"] = App();
    term.topology_key = Key();
    return term;
  }
  core::TopologySpreadConstraint Spread() {
    core::TopologySpreadConstraint spread;
    spread.max_skew = 1;
    spread.topology_key = Key();
    spread.when_unsatisfiable = Below(2) == 0 ? "DoNotSchedule" : "ScheduleAnyway";
    spread.label_selector.emplace().match_labels["app"] = App();
    return spread;
  }

  SeededRandom random_;
};

/// Everything that both are told, by name.
class Given {
 public:
  Given(const Problem& problem, uint64_t seed) : rules_(seed) {
    for (const core::Node& node : problem.nodes) Add(api::Object::Of(rules_.On(node)), nodes_);
    rules_.AddVolumes(volumes_);
    for (const auto& one : problem.classes) Add(api::Object::Of(v1::DeviceClass(*one)), classes_);
    for (const auto& one : problem.slices) Add(api::Object::Of(v1::ResourceSlice(*one)), slices_);
    for (const auto& one : HoldersOf(problem.allocated))
      Add(api::Object::Of(v1::ResourceClaim(*one)), claims_);
    for (int i = 0; i < kPods; ++i) AddPod(problem, i);
  }

  planning::OfflineObjects Objects() const {
    planning::OfflineObjects objects;
    for (const auto& [name, node] : nodes_) objects.nodes.emplace(name, node);
    for (const auto& [name, one] : classes_)
      objects.classes.push_back(api::FrozenOf<v1::DeviceClass>(one));
    for (const auto& [name, one] : slices_)
      objects.slices.push_back(api::FrozenOf<v1::ResourceSlice>(one));
    for (const auto& [key, claim] : claims_) {
      objects.claims.emplace(key, planning::PlacedObject{claim, ""});
      objects.claim_order.push_back(key);
    }
    for (const auto& [name, one] : volumes_) objects.looked_at.push_back(one);
    for (const api::Object& pod : pods_) objects.pods.push_back({pod, ""});
    return objects;
  }

  const std::vector<api::Object>& pods() const { return pods_; }

  /// All but the pods.
  void CreateIn(client::testing::MemoryClient& client) const {
    for (const auto* kind : {&nodes_, &classes_, &slices_, &claims_, &volumes_}) {
      for (const auto& [key, object] : *kind) {
        const Result<api::Object> created = client.Create(object);
        ASSERT_TRUE(created.has_value()) << key << ": " << created.error().message;
        const auto* claim = object.If<v1::ResourceClaim>();
        if (claim == nullptr) continue;
        api::Object copy = created->Clone();
        copy.Mutable<v1::ResourceClaim>().status = claim->status;
        ASSERT_TRUE(client.Update(copy, "status").has_value()) << key;
      }
    }
  }

 private:
  using ObjectMap = std::map<std::string, api::Object>;

  static void Add(api::Object object, ObjectMap& objects) {
    if (object.mutable_metadata().uid.empty())
      object.mutable_metadata().uid = "uid-of-" + api::ObjectKey(object.metadata());
    objects.emplace(api::ObjectKey(object.metadata()), std::move(object));
  }

  void AddPod(const Problem& problem, int number) {
    core::Pod pod;
    pod.metadata = {.name = fmt::format("pod-{}", number),
                    .namespace_ = kNamespace,
                    .uid = fmt::format("uid-of-pod-{}", number)};
    for (const auto& wanted : problem.claims) {
      v1::ResourceClaim claim = *wanted;
      claim.metadata.name = fmt::format("{}-{}", wanted->metadata.name, number);
      claim.metadata.namespace_ = kNamespace;
      claim.metadata.uid = "uid-of-" + claim.metadata.name;
      pod.spec.resource_claims.push_back(
          {.name = claim.metadata.name, .resource_claim_name = claim.metadata.name});
      Add(api::Object::Of(std::move(claim)), claims_);
    }
    rules_.On(pod);
    pods_.push_back(api::Object::Of(std::move(pod)));
  }

  RandomRules rules_;
  ObjectMap nodes_, classes_, slices_, claims_, volumes_;
  std::vector<api::Object> pods_;
};

std::vector<Fate> Planned(World& world, const Given& given, const Problem& problem) {
  planning::OfflineCluster cluster(world,
                                   given.Objects(),
                                   {.features = problem.features,
                                    .namespace_ = kNamespace,
                                    .budget = scheduler::BudgetOf({}),
                                    .nodes_take_turns = true});
  std::vector<Fate> fates;
  for (const planning::OfflineAnswer& answer : cluster.AllocateAll()) {
    if (!answer.what.starts_with("pod ")) continue;
    Fate fate{.fits = answer.verdict == planning::Verdict::kFits, .message = answer.reason};
    // Which the scheduler leaves to others to say.
    if (fate.message.starts_with("Scheduling is blocked")) fate.message.clear();
    for (const api::Object& claim : answer.claims)
      AddDevices(claim.As<v1::ResourceClaim>(), fate.devices);
    std::ranges::sort(fate.devices);
    fates.push_back(std::move(fate));
  }
  return fates;
}

Fate FateOf(client::testing::MemoryClient& client, const std::string& name) {
  Fate fate;
  const auto pod =
      client.Get({&api::Reflected<core::Pod>::kKind, kNamespace, name})->As<core::Pod>();
  for (const auto& condition : pod.status.conditions) {
    if (condition.type == "PodScheduled" && condition.status == "False")
      fate.message = condition.message;
  }
  for (const auto& used : pod.spec.resource_claims) {
    const auto claim =
        client
            .Get({&api::Reflected<v1::ResourceClaim>::kKind, kNamespace, *used.resource_claim_name})
            ->As<v1::ResourceClaim>();
    fate.fits = claim.status.allocation.has_value();
    AddDevices(claim, fate.devices);
  }
  fate.fits = fate.fits || !pod.spec.node_name.empty();
  if (fate.fits) fate.message.clear();
  std::ranges::sort(fate.devices);
  return fate;
}

/// One pod after the other; what becomes of each before the next one comes.
std::vector<Fate> Scheduled(const Given& given, const Problem& problem) {
  SimulatedWorld world(1);
  client::testing::MemoryClient client;
  given.CreateIn(client);
  scheduler::Scheduler scheduler(client,
                                 world.world(),
                                 Log::Silent(),
                                 {.selectors = allocator::SelectorCacheFor(problem.features, 1000),
                                  .features = problem.features});
  std::vector<Fate> fates;
  for (const api::Object& pod : given.pods()) {
    EXPECT_TRUE(client.Create(pod).has_value());
    for (int step = 0; step < 20; ++step) scheduler.Step();
    fates.push_back(FateOf(client, pod.metadata().name));
  }
  return fates;
}

TEST(PlannedPods, GetWhatTheSchedulerThenGivesThem) {
  constexpr uint64_t kUsual = 500;  // about three seconds
  size_t fitting = 0;
  size_t pods = 0;
  for (uint64_t seed = 1; seed <= Instances(kUsual); ++seed) {
    const Problem problem =
        RandomProblem(seed, {.nodes_max = 6, .devices_max = 9, .claims_max = 2});
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, EncodeProblem(problem)));
    SimulatedWorld world(seed);
    const Given given(problem, seed);
    const std::vector<Fate> planned = Planned(world.world(), given, problem);
    const std::vector<Fate> scheduled = Scheduled(given, problem);
    EXPECT_EQ(planned, scheduled);
    pods += planned.size();
    fitting += static_cast<size_t>(std::ranges::count(planned, true, &Fate::fits));
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
  EXPECT_GT(fitting, pods / 5);
  EXPECT_LT(fitting, pods * 4 / 5);
}

}  // namespace
}  // namespace dray::judges
