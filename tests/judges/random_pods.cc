// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/random_pods.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/defaults/defaults.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/claim_template.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "api/scheduling_v1beta1.h"
#include "api/value/time.h"
#include "base/text_uuid.h"
#include "dray/device_id.h"
#include "tests/judges/holder_claims.h"
#include "tests/judges/problem.h"
#include "tests/judges/random_problem.h"
#include "tests/judges/random_requirements.h"

namespace dray::judges {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;
using api::scheduling_v1beta1::PodGroup;

constexpr int kLonePods = 4;
constexpr int kGroupPodsMax = 3;
constexpr const char* kGroup = "team";
const api::Time kMade = api::Time::FromUnixSeconds(1'767'225'600);  // 2026 begins

bool HasAdminAccess(const Problem& problem) {
  return std::ranges::any_of(problem.claims, [](const auto& claim) {
    return std::ranges::any_of(claim->spec.devices.requests, [](const v1::DeviceRequest& request) {
      return request.exactly.has_value() && request.exactly->admin_access.value_or(false);
    });
  });
}

/// As servers store the claim: each result belongs to a request, and shares have UUIDs.
v1::ResourceClaim AsStoredHolder(v1::ResourceClaim holder) {
  v1::DeviceRequest& request = holder.spec.devices.requests.emplace_back();
  for (auto& result : holder.status.allocation->devices.results) {
    request.name = result.request;
    if (result.share_id.has_value()) result.share_id = UuidOf(*result.share_id);
  }
  request.exactly.emplace().device_class_name = "any";
  request.exactly->allocation_mode = "ExactCount";
  request.exactly->count = 1;
  return holder;
}

class PodsBuilder {
 public:
  explicit PodsBuilder(uint64_t seed)
      : requirements_(seed),
        problem_(RandomProblem(seed,
                               {.nodes_max = 6,
                                .devices_max = 9,
                                .claims_max = 2,
                                // Templates make valid claims only.
                                .mistakes_percent = requirements_.traits().templates ? 0 : 4})) {
    made_.id = problem_.id;
    made_.features = problem_.features;
  }

  PodsProblem Build() && {
    for (api::Object& object : requirements_.Surroundings(HasAdminAccess(problem_))) Add(object);
    for (const core::Node& node : problem_.nodes) Add(api::Object::Of(requirements_.On(node)));
    for (const auto& one : problem_.classes) Add(api::Object::Of(requirements_.On(*one)));
    for (const auto& one : problem_.slices) Add(api::Object::Of(requirements_.On(*one)));
    for (const auto& one : HoldersOf(problem_.allocated))
      Add(api::Object::Of(AsStoredHolder(*one)));
    if (requirements_.traits().templates) AddTemplates();
    const size_t before_group =
        requirements_.traits().groups ? requirements_.chance().Below(kLonePods + 1) : kLonePods + 1;
    for (size_t i = 0; i <= kLonePods; ++i) {
      if (i == before_group) AddGroup();
      if (i < kLonePods) AddLonePod(fmt::format("pod-{}", i));
    }
    // The last pod, because the effect of another scheduler is unknown and no pod comes after it.
    core::Pod& last = made_.pods.back().Mutable<core::Pod>();
    if (!last.spec.scheduling_group.has_value() && requirements_.chance().Below(6) == 0)
      last.spec.scheduler_name = kAnotherScheduler;
    return std::move(made_);
  }

 private:
  void Add(api::Object object) {
    if (object.metadata().uid.empty()) {
      object.mutable_metadata().uid =
          UuidOf(fmt::format("{} {}", object.kind().kind, api::ObjectKey(object.metadata())));
    }
    api::defaults::SetDefaults(object, kMade);
    made_.objects.push_back(std::move(object));
  }

  void AddTemplates() {
    for (const auto& wanted : problem_.claims) {
      v1::ResourceClaimTemplate one;
      one.metadata.name = "of-" + wanted->metadata.name;
      one.metadata.namespace_ = kPodsNamespace;
      one.spec.spec = wanted->spec;
      Add(api::Object::Of(std::move(one)));
    }
  }

  void AddGroup() {
    const std::string priority_class = requirements_.PriorityClassNameOfGroup();
    const int pods = requirements_.chance().Between(2, kGroupPodsMax);
    PodGroup group;
    group.metadata.name = kGroup;
    group.metadata.namespace_ = kPodsNamespace;
    group.spec.priority_class_name = priority_class;
    group.spec.scheduling_policy.gang.emplace().min_count = requirements_.chance().Between(1, pods);
    Add(api::Object::Of(std::move(group)));
    for (int i = 0; i < pods; ++i) {
      core::Pod pod = NewPod(fmt::format("member-{}", i));
      pod.spec.scheduling_group.emplace().pod_group_name = kGroup;
      pod.spec.priority_class_name = priority_class;
      made_.pods.push_back(api::Object::Of(std::move(pod)));
    }
  }

  void AddLonePod(const std::string& name) {
    core::Pod pod = NewPod(name);
    pod.spec.priority_class_name = requirements_.PriorityClassName();
    made_.pods.push_back(api::Object::Of(std::move(pod)));
  }

  /// A pod with all claims of the problem, with new claims, or with none.
  core::Pod NewPod(const std::string& name) {
    core::Pod pod;
    pod.metadata.name = name;
    pod.metadata.namespace_ = kPodsNamespace;
    requirements_.On(pod);
    if (requirements_.chance().Below(5) == 0) return pod;
    const bool are_made = requirements_.traits().templates && requirements_.chance().Below(3) > 0;
    for (const auto& wanted : problem_.claims) {
      core::PodResourceClaim& entry = pod.spec.resource_claims.emplace_back();
      entry.name = wanted->metadata.name;
      pod.spec.containers.front().resources.claims.push_back({.name = entry.name});
      if (are_made) {
        entry.resource_claim_template_name = "of-" + wanted->metadata.name;
        continue;
      }
      v1::ResourceClaim claim = *wanted;
      claim.metadata.name = fmt::format("{}-{}", wanted->metadata.name, name);
      claim.metadata.namespace_ = kPodsNamespace;
      claim.metadata.uid.clear();
      entry.resource_claim_name = claim.metadata.name;
      if (requirements_.chance().Below(16) == 0) AllocateAhead(claim);
      Add(api::Object::Of(std::move(claim)));
    }
    return pod;
  }

  /// Allocates a device of some node to the claim, as a failed attempt may leave it.
  void AllocateAhead(v1::ResourceClaim& claim) {
    const auto& request = claim.spec.devices.requests.front();
    const auto& slice = *requirements_.chance().Pick(problem_.slices);
    if (!slice.spec.node_name.has_value() || slice.spec.devices.empty() || !request.exactly) return;
    const v1::Device& device = requirements_.chance().Pick(slice.spec.devices);
    const allocator::DeviceId id{slice.spec.driver, slice.spec.pool.name, device.name};
    if (device.allow_multiple_allocations.value_or(false) || !device.consumes_counters.empty() ||
        problem_.allocated.devices.contains(id) || !ahead_.insert(id).second) {
      return;
    }
    v1::AllocationResult& allocation = claim.status.allocation.emplace();
    v1::DeviceRequestAllocationResult& result = allocation.devices.results.emplace_back();
    result.request = request.name;
    result.driver = id.driver;
    result.pool = id.pool;
    result.device = id.device;
    core::NodeSelectorTerm& term =
        allocation.node_selector.emplace().node_selector_terms.emplace_back();
    term.match_fields.push_back(
        {.key = "metadata.name", .operator_ = "In", .values = {*slice.spec.node_name}});
  }

  RandomRequirements requirements_;
  const Problem problem_;
  std::set<allocator::DeviceId> ahead_;
  PodsProblem made_;
};

}  // namespace

PodsProblem RandomPods(uint64_t seed) {
  return PodsBuilder(seed).Build();
}

std::string JsonOf(const PodsProblem& problem) {
  std::string json = R"({"kind":"List","apiVersion":"v1","metadata":{},"items":[)";
  bool is_first = true;
  for (const auto* part : {&problem.objects, &problem.pods}) {
    for (const api::Object& object : *part) {
      if (!std::exchange(is_first, false)) json += ",\n";
      api::EncodeJson(object, json);
    }
  }
  return json + "]}";
}

}  // namespace dray::judges
