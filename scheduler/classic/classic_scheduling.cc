// SPDX-License-Identifier: Apache-2.0
#include "scheduler/classic/classic_scheduling.h"

#include <utility>

#include <fmt/format.h>

#include "api/meta_v1/options.h"
#include "base/try.h"
#include "client/loop.h"
#include "client/read_modify_write.h"
#include "scheduler/classic/classic_writes.h"

namespace dray::scheduler::inline classic {
namespace {

namespace classic = api::resource_v1alpha2;
namespace core_v1 = api::core_v1;
using api::resource_v1alpha2::PodSchedulingContext;

bool IsClassicAllocated(const api::Object* claim) {
  return claim != nullptr && claim->As<classic::ResourceClaim>().status.allocation.has_value();
}

}  // namespace

const PodSchedulingContext* ClassicAttempt::said() const {
  return context.has_value() ? &context->As<PodSchedulingContext>() : nullptr;
}

ClassicScheduling::ClassicScheduling(
    client::Client& client, World& world, Wakeup& wakeup, const Log& log, const Options& options)
    : client_(client),
      world_(world),
      log_(log),
      generation_(options.generation),
      queue_(*options.queue),
      contexts_(client, api::Reflected<PodSchedulingContext>::kKind, world.clock, wakeup, log) {
  contexts_.OnChange([this](auto* before, auto* after) {
    const api::Object& object = after != nullptr ? *after : *before;
    queue_.MoveOnClaimChange(WakeKeyOf(object.metadata()), Now());
  });
  if (generation_ != ClassicClaims::kAll) return;
  claims_.emplace(client, api::Reflected<classic::ResourceClaim>::kKind, world.clock, wakeup, log);
  classes_.emplace(client, api::Reflected<classic::ResourceClass>::kKind, world.clock, wakeup, log);
  structured_.emplace(client, world, wakeup, log, queue_);
  claims_->OnChange([this](auto* before, auto* after) { OnClaim(before, after); });
  classes_->OnChange([this](auto*, auto*) { queue_.MoveOnEvent(ClusterEvent::kClasses, Now()); });
}

std::optional<MonotonicTime> ClassicScheduling::Step() {
  std::optional<MonotonicTime> next = contexts_.Step();
  if (claims_.has_value()) next = client::Earlier(next, claims_->Step());
  if (classes_.has_value()) next = client::Earlier(next, classes_->Step());
  if (structured_.has_value()) next = client::Earlier(next, structured_->Step());
  return next;
}

bool ClassicScheduling::synced() const {
  return contexts_.synced() && (!claims_.has_value() || claims_->synced()) &&
         (!classes_.has_value() || classes_->synced()) &&
         (!structured_.has_value() || structured_->synced());
}

const api::Object* ClassicScheduling::FindClaim(std::string_view key) const {
  return claims_.has_value() ? claims_->Find(key) : nullptr;
}

void ClassicScheduling::AssumeClaim(const api::Object& claim) {
  if (claims_.has_value()) claims_->Assume(claim);
}

/// Distinct from keys of claims, which have one slash.
std::string ClassicScheduling::WakeKeyOf(const api::meta_v1::ObjectMeta& pod) {
  return fmt::format("podschedulingcontexts/{}/{}", pod.namespace_, pod.name);
}

void ClassicScheduling::OnClaim(const api::Object* before, const api::Object* after) {
  structured_->OnClaim(before, after);
  const api::Object& object = after != nullptr ? *after : *before;
  if (IsClassicAllocated(before) && !IsClassicAllocated(after)) {
    queue_.MoveOnEvent(ClusterEvent::kDevices, Now());
  }
  queue_.MoveOnClaimChange(api::ObjectKey(object.metadata()), Now());
}

Result<bool> ClassicScheduling::SettleUnanswered(std::span<const api::Object> claims) {
  if (!structured_.has_value()) return false;
  bool any = false;
  for (const api::Object& claim : claims) {
    if (!structured_->IsUnanswered(claim)) continue;
    DRAY_TRY(const api::Object settled, structured_->SettleUnanswered(claim));
    AssumeClaim(settled);
    any = true;
  }
  return any;
}

Result<ClassicAttempt> ClassicScheduling::Begin(const api::Object& pod,
                                                std::span<const api::Object> claims,
                                                const ClassLookup& find_device_class) const {
  ClassicAttempt attempt;
  if (const api::Object* context = contexts_.Find(api::ObjectKey(pod.metadata()))) {
    if (!IsAbout(*context, pod.metadata().uid)) {
      return Fail(StatusReason::kConflict,
                  fmt::format("PodSchedulingContext object with UID {} is not owned by Pod {}",
                              context->metadata().uid,
                              api::ObjectKey(pod.metadata())));
    }
    attempt.context = *context;
  }
  ClassicLookups lookups{.find_class = find_device_class};
  if (classes_.has_value()) {
    lookups.find_class = [this](std::string_view name) { return classes_->Find(name); };
    lookups.find_demand = [this](const auto& claim, const auto& of_whom) {
      return structured_->DemandOf(claim, of_whom);
    };
  }
  for (const api::Object& claim : claims) {
    DRAY_TRY(ClassicClaim described, DescribeClaim(pod.As<core_v1::Pod>(), claim, lookups));
    attempt.claims.push_back(std::move(described));
  }
  return attempt;
}

WaitsFor ClassicScheduling::WaitsForDrivers(const api::Object& pod,
                                            std::span<const api::Object> claims) const {
  WaitsFor waits_for{.events = {ClusterEvent::kNodes, ClusterEvent::kClasses},
                     .claims = {WakeKeyOf(pod.metadata())}};
  for (const api::Object& claim : claims) {
    waits_for.claims.push_back(api::ObjectKey(claim.metadata()));
  }
  return waits_for;
}

allocator::InstancesOnNode ClassicScheduling::InstancesOn(const std::string& node) const {
  if (structured_.has_value()) return structured_->On(node);
  return {node, {}, [](const allocator::InstanceId&) { return false; }};
}

Result<> ClassicScheduling::AllocateAndReserve(const api::Object& pod,
                                               std::span<const api::Object> claims,
                                               const ClassicAttempt& attempt,
                                               const std::string& node) {
  allocator::InstancesOnNode instances = InstancesOn(node);
  // Search for all claims before writing any, because written instances are not free for the next
  // claim.
  std::vector<std::optional<classic::AllocationResult>> found(claims.size());
  for (size_t i = 0; i < claims.size(); ++i) {
    const auto& demand = attempt.claims[i].demand;
    if (demand == nullptr) continue;
    DRAY_TRY(found[i], instances.Allocate(*demand));
    if (!found[i]) return Fail(StatusReason::kInternalError, "insufficient resources");
  }
  for (size_t i = 0; i < claims.size(); ++i) {
    const bool is_reserved =
        api::claims::IsReservedFor(claims[i].As<classic::ResourceClaim>(), pod.metadata().uid);
    if (is_reserved) continue;
    DRAY_TRY(const api::Object written,
             found[i] ? structured_->Allocate(
                            claims[i], pod, attempt.claims[i].demand->driver(), *found[i])
                      : AddReservation(client_, claims[i], pod));
    AssumeClaim(written);
  }
  return {};
}

Result<> ClassicScheduling::SayTo(const api::Object& pod,
                                  const ClassicAttempt& attempt,
                                  const classic::PodSchedulingContextSpec& spec) {
  DRAY_TRY(const api::Object written,
           Say(client_, pod, attempt.context.has_value() ? &*attempt.context : nullptr, spec));
  contexts_.Assume(written);
  return {};
}

Result<> ClassicScheduling::UnselectNode(const api::Object& pod) {
  const api::Object* known = contexts_.Find(api::ObjectKey(pod.metadata()));
  if (known == nullptr || !IsAbout(*known, pod.metadata().uid)) return {};
  const api::Object context = *known;
  classic::PodSchedulingContextSpec spec = context.As<PodSchedulingContext>().spec;
  if (spec.selected_node.empty()) return {};
  spec.selected_node.clear();
  DRAY_TRY(const api::Object written, Say(client_, pod, &context, spec));
  contexts_.Assume(written);
  return {};
}

void ClassicScheduling::EndDialogue(const api::Object& pod) {
  const api::Object* known = contexts_.Find(api::ObjectKey(pod.metadata()));
  if (known == nullptr || !IsAbout(*known, pod.metadata().uid)) return;
  const api::Object context = *known;
  api::meta_v1::DeleteOptions options;
  options.preconditions = api::meta_v1::Preconditions{.uid = context.metadata().uid};
  const Result<> deleted = client_.Delete(client::RefOf(context), options);
  if (deleted || deleted.error().reason == StatusReason::kNotFound) return;
  // Harmless: the object is deleted with the pod at the latest.
  log_.Warning("cannot end the dialogue with drivers",
               "pod",
               api::ObjectKey(pod.metadata()),
               "error",
               deleted.error().message);
}

}  // namespace dray::scheduler::inline classic
