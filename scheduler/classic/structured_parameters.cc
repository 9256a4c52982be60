// SPDX-License-Identifier: Apache-2.0
#include "scheduler/classic/structured_parameters.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "api/claims/pod_claims.h"
#include "base/try.h"
#include "client/loop.h"
#include "client/outcome.h"
#include "client/read_modify_write.h"

namespace dray::scheduler::inline classic {
namespace {

namespace classic = api::resource_v1alpha2;
using allocator::InstanceId;

// The most compiled expressions to keep.
constexpr size_t kSelectorsKept = 256;
constexpr const char* kGroup = "resource.k8s.io";

/// The index key of generated parameters. Claim parameters are in the namespace of the claim.
std::string SourceOf(std::string_view namespace_, const auto& reference) {
  return fmt::format(
      "{}/{}/{}/{}", reference.api_group, reference.kind, namespace_, reference.name);
}

std::vector<InstanceId> InstancesOf(const api::Object* claim) {
  if (claim == nullptr) return {};
  const auto& allocation = claim->As<classic::ResourceClaim>().status.allocation;
  return allocation ? allocator::InstancesOf(*allocation) : std::vector<InstanceId>();
}

/// The parameters of a kind, and the name of the kind in messages.
struct Known {
  const client::Informer& objects;
  size_t by_source;
  std::string_view what;
};

/// Returns the parameters that `reference` names, or the first that were generated from its object.
/// Null: there are none, and `why_not` names the object as `shown`.
template <class Parameters>
const Parameters* Find(const Known& known,
                       const auto& reference,
                       const std::string& namespace_,
                       const std::string& shown,
                       std::string& why_not) {
  const bool is_direct =
      reference.api_group == kGroup && reference.kind == api::Reflected<Parameters>::kKind.kind;
  const api::Object* found = nullptr;
  if (is_direct) {
    const std::string key = fmt::format("{}/{}", namespace_, reference.name);
    found = known.objects.Find(key);
    if (found == nullptr) why_not = fmt::format("{} parameters {} not found", known.what, key);
  } else {
    const client::Informer::IndexedKeys keys =
        known.objects.Indexed(known.by_source, SourceOf(namespace_, reference));
    if (!keys.empty()) found = known.objects.Find(*keys.begin());
    if (found == nullptr) {
      why_not = fmt::format("generated {} parameters for {}.{} {} not found",
                            known.what,
                            reference.kind,
                            reference.api_group,
                            shown);
    }
  }
  return found == nullptr ? nullptr : &found->As<Parameters>();
}

/// Whether the claim has another version than the one written on, so that no earlier write on that
/// version can still happen.
bool IsOver(const Result<api::Object>& written) {
  return written || written.error().reason == StatusReason::kConflict ||
         written.error().reason == StatusReason::kNotFound;
}

/// Whether the claim, last seen as `before`, may still be allocated.
bool IsStillWanted(const api::Object& claim, const api::Object& before) {
  return claim.metadata().uid == before.metadata().uid && !claim.metadata().deletion_timestamp &&
         !claim.As<classic::ResourceClaim>().status.allocation;
}

}  // namespace

StructuredParameters::StructuredParameters(
    client::Client& client, World& world, Wakeup& wakeup, const Log& log, SchedulingQueue& queue)
    : client_(client),
      selectors_(allocator::NamedResourcesSelectors(kSelectorsKept)),
      slices_(client, api::Reflected<classic::ResourceSlice>::kKind, world.clock, wakeup, log),
      class_parameters_(client,
                        api::Reflected<classic::ResourceClassParameters>::kKind,
                        world.clock,
                        wakeup,
                        log),
      claim_parameters_(client,
                        api::Reflected<classic::ResourceClaimParameters>::kKind,
                        world.clock,
                        wakeup,
                        log),
      slices_by_node_(slices_.AddIndex([](const api::Object& object, auto& values) {
        values.push_back(object.As<classic::ResourceSlice>().node_name);
      })),
      class_parameters_by_source_(
          class_parameters_.AddIndex([](const api::Object& object, auto& values) {
            const auto& from = object.As<classic::ResourceClassParameters>().generated_from;
            if (from) values.push_back(SourceOf(from->namespace_, *from));
          })),
      claim_parameters_by_source_(
          claim_parameters_.AddIndex([](const api::Object& object, auto& values) {
            const auto& from = object.As<classic::ResourceClaimParameters>().generated_from;
            if (from) values.push_back(SourceOf(object.metadata().namespace_, *from));
          })) {
  const auto wake = [&world, &queue](ClusterEvent event) {
    return [&world, &queue, event](auto*, auto*) {
      queue.MoveOnEvent(event, world.clock.Monotonic());
    };
  };
  slices_.OnChange(wake(ClusterEvent::kDevices));
  // Class parameters are part of the request, like the class.
  class_parameters_.OnChange(wake(ClusterEvent::kClasses));
  claim_parameters_.OnChange(wake(ClusterEvent::kClasses));
}

std::optional<MonotonicTime> StructuredParameters::Step() {
  std::optional<MonotonicTime> next = slices_.Step();
  next = client::Earlier(next, class_parameters_.Step());
  return client::Earlier(next, claim_parameters_.Step());
}

bool StructuredParameters::synced() const {
  return slices_.synced() && class_parameters_.synced() && claim_parameters_.synced();
}

Result<StructuredDemand> StructuredParameters::DemandOf(
    const classic::ResourceClaim& claim, const classic::ResourceClass& of_whom) const {
  if (unanswered_.contains(claim.metadata.uid)) {
    return StructuredDemand{.why_not = fmt::format("resource claim {} is in the process of being "
                                                   "allocated",
                                                   api::ObjectKey(claim.metadata))};
  }
  allocator::NamedResourcesDemand::Parameters parameters{.of_whom = &of_whom};
  std::string why_not;
  if (const auto& reference = of_whom.parameters_ref) {
    parameters.of_class = Find<classic::ResourceClassParameters>(
        {class_parameters_, class_parameters_by_source_, "class"},
        *reference,
        reference->namespace_,
        reference->name,
        why_not);
    if (!why_not.empty()) return StructuredDemand{.why_not = std::move(why_not)};
  }
  if (const auto& reference = claim.spec.parameters_ref) {
    const std::string& namespace_ = claim.metadata.namespace_;
    parameters.of_claim = Find<classic::ResourceClaimParameters>(
        {claim_parameters_, claim_parameters_by_source_, "claim"},
        *reference,
        namespace_,
        fmt::format("{}/{}", namespace_, reference->name),
        why_not);
    if (!why_not.empty()) return StructuredDemand{.why_not = std::move(why_not)};
  }
  DRAY_TRY(auto demand, allocator::NamedResourcesDemand::Read(parameters, selectors_));
  return StructuredDemand{
      .demand = std::make_shared<const allocator::NamedResourcesDemand>(std::move(demand)),
      .why_not = {}};
}

allocator::InstancesOnNode StructuredParameters::On(const std::string& node) const {
  allocator::InstancesOnNode::Slices slices;
  for (const std::string& key : slices_.Indexed(slices_by_node_, node)) {
    slices.push_back(api::FrozenOf<classic::ResourceSlice>(*slices_.Find(key)));
  }
  return {node, std::move(slices), [this](const InstanceId& id) { return in_use_.contains(id); }};
}

Result<api::Object> StructuredParameters::Allocate(const api::Object& claim,
                                                   const api::Object& pod,
                                                   const std::string& driver,
                                                   const classic::AllocationResult& allocation) {
  api::Object newest = claim;
  for (int tries = 1;; ++tries) {
    Result<api::Object> written = TryToAllocate(newest, pod, driver, allocation);
    const bool is_conflict = !written && written.error().reason == StatusReason::kConflict;
    if (!is_conflict || tries == client::kConflictTriesMax) return written;
    DRAY_TRY(newest, client_.Get(client::RefOf(claim)));
    if (!IsStillWanted(newest, claim)) {
      return Fail(StatusReason::kConflict,
                  fmt::format("claim {} got allocated or deleted in the meantime",
                              api::ObjectKey(claim.metadata())));
    }
  }
}

Result<api::Object> StructuredParameters::TryToAllocate(
    const api::Object& claim,
    const api::Object& pod,
    const std::string& driver,
    const classic::AllocationResult& allocation) {
  api::Object copy = claim.Clone();
  if (std::ranges::count(copy.metadata().finalizers, api::claims::kClassicFinalizer) == 0) {
    copy.mutable_metadata().finalizers.emplace_back(api::claims::kClassicFinalizer);
    DRAY_TRY(const api::Object written, client_.Update(copy, {}));
    copy = written.Clone();
  }
  classic::ResourceClaimStatus& status = copy.Mutable<classic::ResourceClaim>().status;
  status.driver_name = driver;
  status.allocation = allocation;
  status.reserved_for.push_back(
      {.resource = "pods", .name = pod.metadata().name, .uid = pod.metadata().uid});
  return WriteAllocation(std::move(copy));
}

Result<api::Object> StructuredParameters::WriteAllocation(api::Object wanted) {
  Result<api::Object> written = client_.Update(wanted, "status");
  const std::string uid = wanted.metadata().uid;
  const auto known = unanswered_.find(uid);
  if (known == unanswered_.end()) {
    if (written || !client::MayBeCarriedOut(written.error())) return written;
    Take(InstancesOf(&wanted));
    unanswered_.emplace(uid, std::move(wanted));
  } else if (IsOver(written)) {
    Free(InstancesOf(&known->second));
    unanswered_.erase(known);
  }
  return written;
}

bool StructuredParameters::IsUnanswered(const api::Object& claim) const {
  return unanswered_.contains(claim.metadata().uid);
}

Result<api::Object> StructuredParameters::SettleUnanswered(const api::Object& claim) {
  return WriteAllocation(unanswered_.find(claim.metadata().uid)->second);
}

void StructuredParameters::OnClaim(const api::Object* before, const api::Object* after) {
  Take(InstancesOf(after));
  Free(InstancesOf(before));
  // The claim has another version than the one written on: that write has happened or never will.
  const api::meta_v1::ObjectMeta& claim = (after != nullptr ? after : before)->metadata();
  const auto known = unanswered_.find(claim.uid);
  if (known == unanswered_.end()) return;
  const std::string& written_on = known->second.metadata().resource_version;
  if (after != nullptr && claim.resource_version == written_on) return;
  Free(InstancesOf(&known->second));
  unanswered_.erase(known);
}

void StructuredParameters::Take(const std::vector<InstanceId>& instances) {
  for (const InstanceId& instance : instances) ++in_use_[instance];
}

void StructuredParameters::Free(const std::vector<InstanceId>& instances) {
  for (const InstanceId& instance : instances) {
    const auto user = in_use_.find(instance);
    if (user != in_use_.end() && --user->second == 0) in_use_.erase(user);
  }
}

}  // namespace dray::scheduler::inline classic
