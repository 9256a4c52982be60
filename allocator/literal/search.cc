// SPDX-License-Identifier: Apache-2.0
// The decision vector is: claim by claim, request by request, the alternative taken, then device
// after device. It is extended depth first, each time with the smallest value that is possible, so
// the first complete vector is the lexicographically smallest feasible one; a branch ends at its
// first violation. Devices of one request are chosen at increasing places (combinations; older
// rules try permutations). The worst case is exponential in the number of devices asked for; the
// budget bounds it. Failures cross claims: what the second claim cannot get revises the first.
//
// kTooMany is a short cut: the number of devices alone rules out every continuation, whichever
// devices were picked, so no other device is tried. It becomes a plain failure at the end of a
// claim.
#include "allocator/literal/search.h"

#include <utility>

#include "allocator/rules/release_rules.h"

namespace dray::allocator::literal {
namespace {

// Besides what constraints, counters and capacities charge, in units of Work.
constexpr uint64_t kWorkPerPlace = 64;
constexpr uint64_t kWorkPerChoice = 32;

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
           std::vector<rules::ClaimPlan>& plans,
           Budget budget)
      : gathered_(space.pools),
        rules_(rules::RulesOf(space.features)),
        selection_(selection),
        plans_(plans),
        budget_(budget),
        admission_(space, selection, plans) {
    for (const rules::ClaimPlan& plan : plans)
      decision_.alternatives.emplace_back(plan.requests.size(), 0);
  }

  SearchResult Run() {
    const Step step = Run(Place{});
    SearchResult result{.steps = steps_};
    if (error_.has_value()) {
      result.end = Fail(*std::move(error_));
    } else if (step == Step::kSuccess) {
      decision_.placements = std::move(admission_).Finish();
      result.end = SearchEnd::kFound;
      result.decision = std::move(decision_);
    } else if (step == Step::kStop) {
      result.end = SearchEnd::kOutOfBudget;
    }
    return result;
  }

 private:
  Step Run(const Place& at) {
    selection_.work().Charge(kWorkPerPlace);
    if (steps_ >= budget_.steps_max || selection_.is_spent() || budget_.IsCancelled())
      return Step::kStop;
    ++steps_;
    if (at.claim == plans_.size()) return Step::kSuccess;
    const rules::ClaimPlan& plan = plans_[at.claim];
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
    const rules::Variant& variant = plans_[at.claim].requests[at.request].variants[at.alternative];
    if (variant.mode == rules::CountMode::kAll && variant.all_devices.empty() &&
        rules_.all_needs_every_device) {
      return Step::kFail;
    }
    if (at.slot >= variant.needed) return Run({.claim = at.claim, .request = at.request + 1});
    const auto placed = static_cast<int64_t>(admission_.CountOf(at.claim));
    if (variant.needed - at.slot > rules::kDevicesPerClaimMax - placed && rules_.limits_branches)
      return Step::kTooMany;
    return variant.mode == rules::CountMode::kAll ? TakeNextOfAll(at, variant) : Scan(at, variant);
  }

  Step TakeNextOfAll(const Place& at, const rules::Variant& variant) {
    const rules::DeviceEntry& device = *variant.all_devices[static_cast<size_t>(at.slot)];
    if (rules_.all_needs_every_device) return TryDevice(at, variant, device, {});
    const Result<bool> given = admission_.Give(at.claim, variant, device);
    if (!given) return Abort(given.error());
    Place after = at;
    ++after.slot;
    const Step step = Run(after);
    if (step != Step::kFail) return step;
    return Abort({.reason = StatusReason::kInternalError, .message = "stop allocation"});
  }

  /// Tries the devices from `at.from` on, in order.
  Step Scan(const Place& at, const rules::Variant& variant) {
    Location here = at.from;
    for (; here.pool < gathered_.pools.size(); ++here.pool, here.slice = 0, here.device = 0) {
      const rules::Pool& pool = gathered_.pools[here.pool];
      if (!MayTakeFrom(pool)) continue;
      for (; here.slice < pool.slices.size(); ++here.slice, here.device = 0) {
        const std::vector<rules::DeviceEntry>& devices = pool.slices[here.slice];
        for (; here.device < devices.size(); ++here.device) {
          const Step step = TryChoice(at, variant, devices[here.device], After(here));
          if (step != Step::kFail) return step;
        }
      }
    }
    return Step::kFail;
  }

  bool MayTakeFrom(const rules::Pool& pool) const {
    return pool.state == rules::PoolState::kComplete ||
           (pool.state == rules::PoolState::kIncomplete && rules_.takes_from_incomplete_pools);
  }

  /// Where the scan for the next device of the same request begins.
  Location After(const Location& here) const {
    if (!rules_.chooses_combinations) return {};
    return {here.pool, here.slice, here.device + 1};
  }

  /// TryDevice, if the device is free, selected and large enough.
  Step TryChoice(const Place& at,
                 const rules::Variant& variant,
                 const rules::DeviceEntry& device,
                 Location next) {
    selection_.work().Charge(kWorkPerChoice);
    if (selection_.is_spent()) return Step::kStop;
    if (admission_.IsInUse(at.claim, variant, device)) return Step::kFail;
    const Result<bool> selectable = selection_.IsSelectable(variant.criteria, device);
    if (!selectable) return Abort(selectable.error());
    if (!*selectable) return Step::kFail;
    const Result<bool> fits = admission_.FitsCapacity(at.claim, variant, device);
    if (!fits) return Abort(fits.error());
    return *fits ? TryDevice(at, variant, device, next) : Step::kFail;
  }

  /// Takes the device, if it may be taken, and continues the search; backtracks when that finds no
  /// solution.
  Step TryDevice(const Place& at,
                 const rules::Variant& variant,
                 const rules::DeviceEntry& device,
                 Location next) {
    const Result<bool> given = admission_.Give(at.claim, variant, device);
    if (!given) return Abort(given.error());
    if (!*given) return Step::kFail;
    Place after = at;
    ++after.slot;
    after.from = next;
    const Step step = Run(after);
    if (step != Step::kSuccess) admission_.TakeBackLast(at.claim);
    return step;
  }

  Step Abort(Error error) {
    if (!error_.has_value()) error_ = std::move(error);
    return Step::kStop;
  }

  const rules::GatheredPools& gathered_;
  const rules::Rules& rules_;
  Selection& selection_;
  std::vector<rules::ClaimPlan>& plans_;
  Budget budget_;
  Assignment admission_;
  int64_t steps_ = 0;
  std::optional<Error> error_;
  Decision decision_;
};

}  // namespace

SearchResult Search(const SearchSpace& space,
                    Selection& selection,
                    std::vector<rules::ClaimPlan>& plans,
                    Budget budget) {
  return Searcher(space, selection, plans, budget).Run();
}

}  // namespace dray::allocator::literal
