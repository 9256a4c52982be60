// SPDX-License-Identifier: Apache-2.0
// The decision vector is: claim by claim, request by request, the alternative taken, then device
// after device. It is extended depth first, each time with the smallest value that is possible, so
// the first complete vector is the lexicographically smallest feasible one; a branch ends at its
// first violation. Devices of one request are chosen at increasing places (combinations, not
// permutations). The worst case is exponential in the number of devices asked for; the budget
// bounds it. Failures cross claims: what the second claim cannot get revises the first.
//
// kTooMany is a short cut: the number of devices alone rules out every continuation, whichever
// devices were picked, so no other device is tried. It becomes a plain failure at the end of a
// claim.
#include "allocator/search.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "allocator/taints.h"

namespace dray::allocator {
namespace {

enum class Step : uint8_t { kSuccess, kFail, kTooMany, kStop };

/// Where the scan for the next device of a request begins.
struct Location {
  size_t pool = 0, slice = 0, device = 0;
};

/// The next decision.
struct Place {
  size_t claim = 0, request = 0, alternative = 0;
  int64_t slot = 0;
  bool in_alternative = false;
  Location from = {};
};

class Searcher {
 public:
  Searcher(const SearchSpace& space,
           Selection& selection,
           std::vector<ClaimPlan>& plans,
           Budget budget)
      : gathered_(space.pools),
        state_(space.state),
        features_(space.features),
        selection_(selection),
        plans_(plans),
        budget_(budget),
        tried_(gathered_.device_count),
        committed_(gathered_.device_count, Answer::kUnknown) {
    decision_.placements.resize(plans.size());
    for (const ClaimPlan& plan : plans)
      decision_.alternatives.emplace_back(plan.requests.size(), 0);
  }

  Result<SearchResult> Run() {
    const Step step = Run(Place{});
    if (error_.has_value()) return Fail(*std::move(error_));
    if (step == Step::kSuccess)
      return SearchResult{SearchEnd::kFound, std::move(decision_), steps_};
    return SearchResult{
        step == Step::kStop ? SearchEnd::kOutOfBudget : SearchEnd::kNothing, {}, steps_};
  }

 private:
  enum class Answer : uint8_t { kUnknown, kYes, kNo };
  enum class Admission : uint8_t { kAccepted, kRejected, kError };

  Step Run(const Place& at) {
    if (steps_ >= budget_.steps_max) return Step::kStop;
    ++steps_;
    if (at.claim == plans_.size()) return Step::kSuccess;
    const ClaimPlan& plan = plans_[at.claim];
    if (at.request == plan.requests.size()) {
      const Step step = Run({.claim = at.claim + 1});
      return step == Step::kTooMany ? Step::kFail : step;
    }
    if (plan.requests[at.request].is_prioritized && !at.in_alternative) return RunAlternatives(at);
    return RunSlot(at);
  }

  Step RunAlternatives(const Place& at) {
    const size_t count = plans_[at.claim].requests[at.request].variants.size();
    bool all_too_many = true;
    for (size_t i = 0; i < count; ++i) {
      const Step step =
          Run({.claim = at.claim, .request = at.request, .alternative = i, .in_alternative = true});
      if (step == Step::kSuccess) decision_.alternatives[at.claim][at.request] = i;
      if (step == Step::kSuccess || step == Step::kStop) return step;
      if (step != Step::kTooMany) all_too_many = false;
    }
    return all_too_many ? Step::kTooMany : Step::kFail;
  }

  Step RunSlot(const Place& at) {
    const Variant& variant = plans_[at.claim].requests[at.request].variants[at.alternative];
    if (variant.mode == CountMode::kAll && variant.all_devices.empty()) return Step::kFail;
    if (at.slot >= variant.needed) return Run({.claim = at.claim, .request = at.request + 1});
    // A count may be as large as an integer can be, and the sum wraps around as upstream's does.
    const uint64_t placed = decision_.placements[at.claim].size();
    const auto wanted =
        static_cast<int64_t>(placed + static_cast<uint64_t>(variant.needed - at.slot));
    if (wanted > kDevicesPerClaimMax) return Step::kTooMany;
    return variant.mode == CountMode::kAll ? TakeNextOfAll(at, variant) : Scan(at, variant);
  }

  Step TakeNextOfAll(const Place& at, const Variant& variant) {
    const DeviceEntry& device = *variant.all_devices[static_cast<size_t>(at.slot)];
    return TryDevice(at, variant, device, {});
  }

  /// Tries the devices from `at.from` on, in order.
  Step Scan(const Place& at, const Variant& variant) {
    Location here = at.from;
    for (; here.pool < gathered_.pools.size(); ++here.pool, here.slice = 0, here.device = 0) {
      const Pool& pool = gathered_.pools[here.pool];
      if (pool.state != PoolState::kComplete) continue;
      for (; here.slice < pool.slices.size(); ++here.slice, here.device = 0) {
        const std::vector<DeviceEntry>& devices = pool.slices[here.slice];
        for (; here.device < devices.size(); ++here.device) {
          const DeviceEntry& device = devices[here.device];
          if (IsInUse(at.claim, variant, device)) continue;
          const Result<bool> selectable = selection_.IsSelectable(variant.criteria, device);
          if (!selectable) return Abort(selectable.error());
          if (!*selectable) continue;
          const Step step =
              TryDevice(at, variant, device, {here.pool, here.slice, here.device + 1});
          if (step != Step::kFail) return step;
        }
      }
    }
    return Step::kFail;
  }

  /// Takes the device, if it may be taken, and goes on; gives it back when that leads nowhere.
  Step TryDevice(const Place& at,
                 const Variant& variant,
                 const DeviceEntry& device,
                 Location next) {
    switch (Admit(at.claim, variant, device)) {
      case Admission::kError: return Step::kStop;
      case Admission::kRejected: return Step::kFail;
      case Admission::kAccepted: break;
    }
    Place after = at;
    ++after.slot;
    after.from = next;
    const Step step = Run(after);
    if (step != Step::kSuccess) GiveBack(at.claim, variant, device);
    return step;
  }

  bool IsCommitted(const DeviceEntry& device) {
    Answer& answer = committed_[device.index];
    if (answer == Answer::kUnknown)
      answer = state_.devices.contains(device.id) ? Answer::kYes : Answer::kNo;
    return answer == Answer::kYes;
  }

  /// Admin access only minds the claim's own devices.
  bool IsInUse(size_t claim, const Variant& variant, const DeviceEntry& device) {
    const std::vector<size_t>& users = tried_[device.index];
    if (variant.admin_access) return std::ranges::find(users, claim) != users.end();
    return !users.empty() || IsCommitted(device);
  }

  Admission Admit(size_t claim, const Variant& variant, const DeviceEntry& device) {
    if (IsInUse(claim, variant, device)) return Admission::kRejected;
    if (const std::string part = UnbuiltPart(*device.device); !part.empty()) {
      Abort(
          {.reason = StatusReason::kInvalid,
           .message = fmt::format("claim {}, request {}: device {} {}, which is not supported yet",
                                  plans_[claim].key,
                                  variant.own_name,
                                  device.id.ToString(),
                                  part)});
      return Admission::kError;
    }
    if (!device.device->consumes_counters.empty())
      return Admission::kRejected;  // the switch is off
    if (features_.device_taints && BlockingTaint(*device.device, variant.tolerations) != nullptr) {
      return Admission::kRejected;
    }
    if (!AddToConstraints(claim, variant, device)) {
      if (variant.mode == CountMode::kExactCount) return Admission::kRejected;
      Abort({.reason = StatusReason::kInvalid,
             .message = fmt::format(
                 "claim {}, request {}: cannot add device {} because a claim constraint "
                 "would not be satisfied",
                 plans_[claim].key,
                 variant.own_name,
                 device.id.ToString())});
      return Admission::kError;
    }
    tried_[device.index].push_back(claim);
    decision_.placements[claim].push_back({&variant, &device});
    return Admission::kAccepted;
  }

  /// What the device needs of the allocator that is not there yet, under the switches that are on.
  std::string UnbuiltPart(const api::resource_v1::Device& device) const {
    if (features_.partitionable_devices && !device.consumes_counters.empty())
      return "consumes counters";
    if (features_.consumable_capacity && device.allow_multiple_allocations.value_or(false)) {
      return "can be shared between claims";
    }
    return {};
  }

  bool AddToConstraints(size_t claim, const Variant& variant, const DeviceEntry& device) {
    std::vector<Constraint>& constraints = plans_[claim].constraints;
    for (size_t i = 0; i < constraints.size(); ++i) {
      if (constraints[i].Add(variant.name, device)) continue;
      while (i-- > 0) constraints[i].Remove(variant.name);
      return false;
    }
    return true;
  }

  void GiveBack(size_t claim, const Variant& variant, const DeviceEntry& device) {
    for (Constraint& constraint : plans_[claim].constraints) constraint.Remove(variant.name);
    std::erase(tried_[device.index], claim);
    decision_.placements[claim].pop_back();
  }

  Step Abort(Error error) {
    if (!error_.has_value()) error_ = std::move(error);
    return Step::kStop;
  }

  const GatheredPools& gathered_;
  const AllocatedState& state_;
  const Features& features_;
  Selection& selection_;
  std::vector<ClaimPlan>& plans_;
  Budget budget_;
  int64_t steps_ = 0;
  std::optional<Error> error_;
  Decision decision_;
  std::vector<std::vector<size_t>> tried_;  // by device: the claims that hold it on this path
  std::vector<Answer> committed_;           // by device: is it in state_
};

}  // namespace

Result<SearchResult> Search(const SearchSpace& space,
                            Selection& selection,
                            std::vector<ClaimPlan>& plans,
                            Budget budget) {
  return Searcher(space, selection, plans, budget).Run();
}

}  // namespace dray::allocator
