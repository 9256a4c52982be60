// SPDX-License-Identifier: Apache-2.0
// A generated cluster for gang searches.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/claims/pod_groups.h"
#include "api/core_v1/node.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "dray/selector.h"
#include "scheduler/cluster/devices.h"
#include "scheduler/groups/gang_search.h"

namespace dray::scheduler::testing {

inline constexpr const char* kGangDriver = "gpu.acme.example";

/// The app of a pod, and an app whose pods it avoids on its node; empty: none.
struct GangCompany {
  std::string is = {};
  std::string avoids = {};
};

/// A cluster whose nodes have devices, whole or as halves, and with devices that all nodes can use.
class GangWorld {
 public:
  explicit GangWorld(
      std::shared_ptr<allocator::SelectorCache> selectors = allocator::SelectorCacheFor({}, 9))
      : devices_({.selectors = std::move(selectors)}) {
    for (const char* const kind : {"whole", "half", "net"}) {
      AddClass(kind, fmt::format(R"(device.attributes["{}"].kind == "{}")", kGangDriver, kind));
    }
    AddClass("gpu", fmt::format(R"(device.attributes["{}"].kind != "net")", kGangDriver));
    AddClass("any", "true");
  }

  /// Lists each GPU as a whole first, then its halves.
  void AddNode(int gpus, int64_t cpus) {
    const std::string name = fmt::format("node-{}", states_.size());
    api::core_v1::Node node;
    node.metadata.name = name;
    node.metadata.labels["kubernetes.io/hostname"] = name;
    node.status.allocatable["cpu"] = api::Quantity::FromInt(cpus);
    node.status.allocatable["pods"] = api::Quantity::FromInt(110);
    states_.push_back({.node = api::Object::Of(node), .allocatable = AllocatableOf(node)});
    if (gpus == 0) return;
    api::resource_v1::ResourceSlice counters = Slice(name, name + "-counters", 2);
    api::resource_v1::ResourceSlice slice = Slice(name, name + "-gpus", 2);
    for (auto* part : {&counters, &slice}) part->spec.node_name = name;
    for (int i = 0; i < gpus; ++i) {
      const std::string gpu = fmt::format("gpu-{}", i);
      api::resource_v1::CounterSet set{.name = gpu};
      set.counters["units"].value = api::Quantity::FromInt(2);
      counters.spec.shared_counters.push_back(std::move(set));
      slice.spec.devices.push_back(Part(gpu, "whole", gpu, 2));
      for (const char* const half : {"a", "b"}) {
        slice.spec.devices.push_back(Part(gpu + half, "half", gpu, 1));
      }
    }
    Publish(std::move(counters));
    Publish(std::move(slice));
  }
  /// Adds devices that every node can use; the first `tainted` of them have a taint.
  void AddNetwork(int count, int tainted = 0) {
    if (count == 0) return;
    api::resource_v1::ResourceSlice slice = Slice("net", "net", 1);
    slice.spec.all_nodes = true;
    for (int i = 0; i < count; ++i) {
      api::resource_v1::Device device{.name = fmt::format("net-{}", i)};
      device.attributes["kind"].string = "net";
      if (i < tainted) device.taints.push_back({.key = "old", .effect = "NoSchedule"});
      slice.spec.devices.push_back(std::move(device));
    }
    Publish(std::move(slice));
  }

  /// "2 half": a claim for two halves; "2 half!" tolerates all taints. Named "=NAME", it is made
  /// once and shared.
  void AddMember(const std::string& name,
                 const std::vector<std::string>& claims,
                 int64_t cpus = 0,
                 const GangCompany& company = {}) {
    api::core_v1::Pod pod;
    pod.metadata.namespace_ = "lab";
    pod.metadata.name = name;
    pod.metadata.uid = "uid-" + name;
    if (!company.is.empty()) pod.metadata.labels["app"] = company.is;
    if (!company.avoids.empty()) {
      api::core_v1::PodAffinityTerm term{.topology_key = "kubernetes.io/hostname"};
      term.label_selector.emplace().match_labels["app"] = company.avoids;
      pod.spec.affinity.emplace()
          .pod_anti_affinity.emplace()
          .required_during_scheduling_ignored_during_execution.push_back(std::move(term));
    }
    api::core_v1::Container container;
    container.name = "main";
    container.resources.requests["cpu"] = api::Quantity::FromInt(cpus);
    pod.spec.containers.push_back(std::move(container));
    GroupMember member;
    for (const std::string& claim : claims) {
      member.claims.push_back(claim.starts_with("=") ? shared_.at(claim.substr(1))
                                                     : Claim(name + "-claim", claim));
      member.consumers.push_back(api::claims::ConsumerOf(pod));
    }
    member.pod = api::Object::Of(std::move(pod));
    members_.push_back(std::move(member));
  }
  void AddShared(const std::string& name, const std::string& what) {
    shared_.emplace(name, Claim(name, what));
  }

  GroupOutcome PlaceAlone(int64_t min_count) {
    PlacedSoFar placed(taken_, 0);
    return PlaceGroup(members_, Progress(min_count), Next(), placed);
  }
  GroupOutcome Place(int64_t min_count) {
    PlacedSoFar placed(taken_, 0);
    GroupOutcome outcome = PlaceGang(members_, Progress(min_count), Next(), Board(), placed);
    outcome.chosen = placed.Chosen();
    return outcome;
  }
  /// Runs the search alone, with that limit of trials.
  bool IsFoundWith(size_t questions_max, size_t needed) {
    PlacedSoFar placed(taken_, 0);
    GangBoard board = Board();
    board.questions_max = questions_max;
    return SearchGang(members_, needed, board, placed).has_value();
  }
  bool is_anything_held() const { return !taken_.state().devices.empty(); }
  size_t questions() const { return questions_; }
  std::span<const GroupMember> members() const { return members_; }
  size_t nodes() const { return states_.size(); }

 private:
  static api::resource_v1::ResourceSlice Slice(const std::string& pool,
                                               const std::string& name,
                                               int64_t count) {
    api::resource_v1::ResourceSlice slice;
    slice.metadata.name = name;
    slice.spec.driver = kGangDriver;
    slice.spec.pool = {.name = pool, .generation = 1, .resource_slice_count = count};
    return slice;
  }
  static api::resource_v1::Device Part(const std::string& name,
                                       const std::string& kind,
                                       const std::string& gpu,
                                       int64_t units) {
    api::resource_v1::Device device{.name = name};
    device.attributes["kind"].string = kind;
    api::resource_v1::DeviceCounterConsumption consumption{.counter_set = gpu};
    consumption.counters["units"].value = api::Quantity::FromInt(units);
    device.consumes_counters.push_back(std::move(consumption));
    return device;
  }
  void Publish(api::resource_v1::ResourceSlice slice) {
    slices_[fmt::format("{}/{}", slice.spec.driver, slice.spec.pool.name)].push_back(
        slice.metadata.name);
    const allocator::ClusterChange change =
        std::make_shared<const api::resource_v1::ResourceSlice>(std::move(slice));
    devices_ = devices_.With({&change, 1});
  }
  void AddClass(const std::string& name, const std::string& expression) {
    api::resource_v1::DeviceClass made;
    made.metadata.name = name;
    made.spec.selectors.emplace_back().cel.emplace().expression = expression;
    const allocator::ClusterChange change =
        std::make_shared<const api::resource_v1::DeviceClass>(std::move(made));
    devices_ = devices_.With({&change, 1});
  }
  static api::Object Claim(const std::string& name, const std::string& what) {
    api::resource_v1::ResourceClaim claim;
    claim.metadata.namespace_ = "lab";
    claim.metadata.name = name;
    claim.metadata.uid = "uid-" + name;
    api::resource_v1::DeviceRequest request{.name = "r"};
    request.exactly.emplace();
    const bool tolerates = what.ends_with('!');
    request.exactly->device_class_name = what.substr(2, what.size() - 2 - (tolerates ? 1 : 0));
    if (tolerates) request.exactly->tolerations.push_back({.operator_ = "Exists"});
    request.exactly->allocation_mode = "ExactCount";
    request.exactly->count = what[0] - '0';
    claim.spec.devices.requests.push_back(std::move(request));
    return api::Object::Of(std::move(claim));
  }

  GroupProgress Progress(int64_t min_count) const {
    return {
        .min_count = min_count, .scheduled = 0, .remaining = static_cast<int64_t>(members_.size())};
  }
  const allocator::Snapshot& Devices() {
    taken_.BringUpToDate(devices_);
    return devices_;
  }
  Decision DecideOn(const api::core_v1::Pod& pod,
                    std::span<const api::Object> claims,
                    const PlacedSoFar& placed,
                    const NodeState* only,
                    const DeviceSearch& search) {
    std::vector<const NodeState*> nodes;
    std::optional<size_t> only_node;
    for (const NodeState& state : states_) {
      if (only == &state) only_node = nodes.size();
      nodes.push_back(&state);
    }
    NodesForPod seen{.nodes = nodes};
    placed.PutOn(seen);
    std::deque<allocator::Attempt> attempts;
    const DeviceSearch usual =
        [&](std::span<const Frozen<api::resource_v1::ResourceClaim>> wanted) {
          attempts.emplace_back(Devices(), wanted);
          return [attempt = &attempts.back()](const api::core_v1::Node& node) {
            return attempt->Allocate(node);
          };
        };
    const auto neighbours = [&] {
      std::vector<Neighbour> pods;
      placed.AddTo(pods, seen.nodes);
      return pods;
    };
    return Decide(pod,
                  claims,
                  {.nodes = seen.nodes,
                   .first_node = placed.first_node() % seen.nodes.size(),
                   .only_node = only_node,
                   .in_flight = [this](std::string_view uid) { return taken_.in_flight(uid); },
                   .has_class = [](std::string_view) { return true; },
                   .search = search ? search : usual,
                   .neighbours = {.all = neighbours,
                                  .with_rules_about = [&](const auto&) { return neighbours(); }}},
                  {});
  }
  DecideNext Next() {
    return [this](const auto& pod, auto claims, const auto& placed) {
      return DecideOn(pod, claims, placed, nullptr, {});
    };
  }
  GangBoard Board() {
    GangBoard board;
    for (const NodeState& state : states_) board.nodes.push_back(&state);
    board.decide_on = [this](const auto& pod,
                             auto claims,
                             const auto& placed,
                             const NodeState& node,
                             const DeviceSearch& search) {
      ++questions_;
      return DecideOn(pod, claims, placed, &node, search);
    };
    board.allocate = [this](auto claims, const api::core_v1::Node& node, const Banned& banned) {
      const SlicesOf slices_of = [this](const std::string& pool) { return slices_[pool]; };
      const allocator::Attempt attempt(WithoutBanned(Devices(), banned, slices_of), claims);
      return attempt.Allocate(node);
    };
    board.is_shared = [](const auto& result) { return result.pool == "net"; };
    return board;
  }

  TakenDevices taken_;
  allocator::Snapshot devices_;
  std::map<std::string, std::vector<std::string>> slices_;  // by pool
  std::deque<NodeState> states_;
  std::vector<GroupMember> members_;
  std::map<std::string, api::Object> shared_;
  size_t questions_ = 0;
};

}  // namespace dray::scheduler::testing
