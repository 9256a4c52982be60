// SPDX-License-Identifier: Apache-2.0
#include "allocator/rules/plan.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "allocator/rules/consumable_capacity.h"
#include "allocator/rules/release_rules.h"
#include "base/try.h"
#include "dray/outcome.h"

namespace dray::allocator::rules {
namespace {

namespace v1 = api::resource_v1;

/// Lays out one claim after the other; what messages need to name is kept at hand.
class Planner {
 public:
  Planner(const PlanInput& input, const Chooser& chooser)
      : inventory_(input.inventory),
        gathered_(input.gathered),
        state_(input.state),
        features_(input.features),
        rules_(RulesOf(input.features)),
        chooser_(chooser) {}

  Result<ClaimPlan> Plan(const v1::ResourceClaim& claim) {
    const auto& metadata = claim.metadata;
    ClaimPlan plan{.claim = &claim,
                   .key = metadata.namespace_.empty() ? metadata.name
                                                      : metadata.namespace_ + "/" + metadata.name};
    key_ = plan.key;
    int64_t total = 0;
    for (const v1::DeviceRequest& request : claim.spec.devices.requests) {
      DRAY_TRY(RequestPlan planned, PlanRequest(request));
      const int64_t needed =
          std::ranges::min_element(planned.variants, {}, &Variant::needed)->needed;
      DRAY_TRY_VOID(Account(request, needed, total));
      plan.requests.push_back(std::move(planned));
    }
    DRAY_TRY_VOID(CheckTotal(total));
    DRAY_TRY(plan.constraints, PlanConstraints(claim));
    return plan;
  }

 private:
  Failure FailRequest(std::string_view request,
                      std::string_view why,
                      RequestError::Problem problem = RequestError::Problem::kOther) const {
    return Fail({.reason = StatusReason::kInvalid,
                 .message = fmt::format("claim {}, request {}: {}", key_, request, why),
                 .details = std::make_shared<const RequestError>(
                     std::string(key_), std::string(request), problem)});
  }

  Result<std::vector<Constraint>> PlanConstraints(const v1::ResourceClaim& claim) const {
    std::vector<Constraint> constraints;
    for (size_t i = 0; i < claim.spec.devices.constraints.size(); ++i) {
      const v1::DeviceConstraint& constraint = claim.spec.devices.constraints[i];
      const bool is_distinct = rules_.knows_distinct && constraint.distinct_attribute.has_value();
      if (!constraint.match_attribute.has_value() && !is_distinct) {
        return Fail(
            StatusReason::kInvalid,
            fmt::format("claim {}, constraint #{}: empty constraint (unsupported constraint type?)",
                        key_,
                        i));
      }
      constraints.emplace_back(constraint, features_);
    }
    return constraints;
  }

  /// Adds to the number of devices the claim needs at least.
  Result<> Account(const v1::DeviceRequest& request, int64_t needed, int64_t& total) const {
    if (rules_.checks_limit_last) {
      total = static_cast<int64_t>(static_cast<uint64_t>(total) + static_cast<uint64_t>(needed));
      return {};
    }
    const bool overflows = needed > 0 && total > std::numeric_limits<int64_t>::max() - needed;
    const bool underflows = needed < 0 && total < std::numeric_limits<int64_t>::min() - needed;
    if (overflows || underflows || total + needed > kDevicesPerClaimMax) {
      return FailRequest(
          request.name,
          fmt::format(
              "adding {} devices exceeds the claim limit of {}, with {} already accounted for",
              needed,
              kDevicesPerClaimMax,
              total));
    }
    total += needed;
    return {};
  }

  /// On a negative sum upstream crashes.
  Result<> CheckTotal(int64_t total) const {
    if (total > kDevicesPerClaimMax) {
      return Fail(
          StatusReason::kInvalid,
          fmt::format("claim {}: number of requested devices {} exceeds the claim limit of {}",
                      key_,
                      total,
                      kDevicesPerClaimMax));
    }
    if (total >= 0) return {};
    return Fail(StatusReason::kInvalid,
                fmt::format("claim {}: the counts of its requests sum to {}", key_, total));
  }

  Result<RequestPlan> PlanRequest(const v1::DeviceRequest& request) {
    RequestPlan plan{.variants = {}, .is_prioritized = !request.first_available.empty()};
    if (plan.is_prioritized && !features_.prioritized_list) {
      return FailRequest(request.name,
                         "has subrequests, but the DRAPrioritizedList feature is disabled");
    }
    if (!plan.is_prioritized && !request.exactly.has_value()) {
      return FailRequest(
          request.name,
          "has neither an exact request nor alternatives (unsupported request type?)");
    }
    DRAY_TRY_VOID(CheckCapacityRequests(request));
    for (const v1::DeviceSubRequest& alternative : request.first_available) {
      DRAY_TRY(Variant variant,
               PlanVariant(alternative, {request.name, alternative.name}, alternative.name));
      plan.variants.push_back(std::move(variant));
    }
    if (!plan.is_prioritized) {
      const v1::ExactDeviceRequest& exact = *request.exactly;
      if (exact.admin_access.has_value() && !features_.admin_access) {
        DRAY_TRY_VOID(CheckSelectorTypes(exact.selectors, request.name));
        return FailRequest(request.name, "admin access is requested, but the feature is disabled");
      }
      DRAY_TRY(Variant variant, PlanVariant(exact, {request.name, {}}, request.name));
      variant.admin_access = exact.admin_access.value_or(false);
      plan.variants.push_back(std::move(variant));
    }
    return plan;
  }

  Result<> CheckCapacityRequests(const v1::DeviceRequest& request) const {
    if (features_.consumable_capacity || !rules_.knows_capacity_requests) return {};
    constexpr std::string_view kWhy =
        "has capacity requests, but the DRAConsumableCapacity feature is disabled";
    if (request.exactly.has_value() && request.exactly->capacity.has_value()) {
      return FailRequest(request.name, kWhy);
    }
    for (const v1::DeviceSubRequest& alternative : request.first_available) {
      if (alternative.capacity.has_value()) {
        return Fail(StatusReason::kInvalid,
                    fmt::format("claim {}, subrequest {}: {}", key_, alternative.name, kWhy));
      }
    }
    return {};
  }

  Result<> CheckSelectorTypes(std::span<const v1::DeviceSelector> selectors,
                              std::string_view request) const {
    for (size_t i = 0; i < selectors.size(); ++i) {
      if (selectors[i].cel.has_value()) continue;
      return Fail(StatusReason::kInvalid,
                  fmt::format("claim {}, request {}, selector #{}: CEL expression empty "
                              "(unsupported selector type?)",
                              key_,
                              request,
                              i));
    }
    return {};
  }

  /// Exact requests and alternatives have the same members here.
  template <class Request>
  Result<Variant> PlanVariant(const Request& request, RequestName name, std::string_view own_name) {
    if (rules_.knows_groups_and_derived && !request.derived_attributes.empty() &&
        !features_.derived_attributes) {
      return FailRequest(own_name,
                         "cannot handle request with derived attributes, the feature is disabled");
    }
    DRAY_TRY_VOID(CheckSelectorTypes(request.selectors, own_name));
    if (request.device_class_name.empty()) {
      return FailRequest(own_name, "missing device class name (unsupported request type?)");
    }
    const v1::DeviceClass* device_class = inventory_.FindClass(request.device_class_name).get();
    if (device_class == nullptr) {
      return FailRequest(
          own_name,
          fmt::format(
              "could not retrieve device class {}: deviceclass.resource.k8s.io \"{}\" not found",
              request.device_class_name,
              request.device_class_name),
          RequestError::Problem::kMissingClass);
    }
    Variant variant{.name = name,
                    .own_name = own_name,
                    .criteria = {.device_class = device_class,
                                 .selectors = request.selectors,
                                 .claim_key = key_,
                                 .row = rows_++},
                    .capacity = request.capacity.has_value() ? &*request.capacity : nullptr,
                    .tolerations = request.tolerations};
    if (features_.derived_attributes) variant.derived_attributes = request.derived_attributes;
    if (request.allocation_mode == "ExactCount") {
      variant.needed = request.count;
    } else if (request.allocation_mode == "All") {
      variant.mode = CountMode::kAll;
      DRAY_TRY_VOID(ListAllDevices(variant));
      variant.needed = static_cast<int64_t>(variant.all_devices.size());
    } else {
      return FailRequest(own_name, "unsupported count mode " + request.allocation_mode);
    }
    return variant;
  }

  /// All devices the variant may have, in use or not: it gets all of them or fails.
  Result<> ListAllDevices(Variant& variant) {
    Criteria criteria = variant.criteria;
    if (rules_.all_ignores_class) {
      criteria.device_class = nullptr;
      criteria.row = rows_++;  // the answers are others than those with the class
    }
    for (const Pool& pool : gathered_.pools) {
      if (pool.state != PoolState::kComplete) {
        const std::string_view trouble =
            pool.state == PoolState::kInvalid ? "invalid" : "being updated";
        return FailRequest(variant.own_name,
                           fmt::format("asks for all devices, but resource pool {} is currently {}",
                                       pool.ToString(),
                                       trouble));
      }
      for (const std::vector<DeviceEntry>& slice : pool.slices) {
        for (const DeviceEntry& entry : slice) {
          DRAY_TRY(const bool selectable, chooser_(criteria, entry));
          if (!selectable) continue;
          DRAY_TRY(const bool is_large_enough, CouldHold(variant, entry));
          if (is_large_enough) variant.all_devices.push_back(&entry);
        }
      }
    }
    return {};
  }

  /// Whether the device has the capacity asked for, be it all of it or what committed shares leave.
  Result<bool> CouldHold(const Variant& variant, const DeviceEntry& entry) const {
    if (!features_.consumable_capacity) return true;
    const ConsumedCapacity* const taken =
        rules_.all_is_what_is_left ? state_.FindCapacity(entry.id()) : nullptr;
    Result<bool> fits = FitsCapacity(*entry.device, variant.capacity, features_, taken);
    if (fits) return fits;
    return FailRequest(
        variant.own_name,
        fmt::format(
            "checking capacity for device {}: {}", entry.device->name, fits.error().message));
  }

  const inventory::Inventory& inventory_;
  const GatheredPools& gathered_;
  const AllocatedState& state_;
  const Features& features_;
  const Rules& rules_;
  const Chooser& chooser_;
  size_t rows_ = 0;
  std::string key_;
};

}  // namespace

std::string ConstraintRefuses(const ClaimPlan& plan,
                              const Variant& variant,
                              const DeviceEntry& device) {
  return fmt::format(
      "claim {}, request {}: cannot add device {} because a claim constraint would not be "
      "satisfied",
      plan.key,
      variant.own_name,
      device.id().ToString());
}

Result<std::vector<ClaimPlan>> PlanClaims(const PlanInput& input,
                                          const Chooser& chooser,
                                          std::span<const Frozen<v1::ResourceClaim>> claims) {
  std::vector<ClaimPlan> plans;
  plans.reserve(claims.size());
  Planner planner(input, chooser);
  for (const Frozen<v1::ResourceClaim>& claim : claims) {
    DRAY_TRY(ClaimPlan plan, planner.Plan(*claim));
    plans.push_back(std::move(plan));
  }
  // The keys have moved to their final place: let the criteria look there.
  for (ClaimPlan& plan : plans) {
    for (RequestPlan& request : plan.requests) {
      for (Variant& variant : request.variants) variant.criteria.claim_key = plan.key;
    }
  }
  return plans;
}

}  // namespace dray::allocator::rules
