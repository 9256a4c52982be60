// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cycle/claim_set.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/claims/node_operations.h"
#include "scheduler/cluster/binding_state.h"

namespace dray::scheduler::inline cycle {
namespace {

namespace resource_v1 = api::resource_v1;

/// The first class of the claim's requests that does not exist, as upstream words it.
std::string MissingClass(const resource_v1::ResourceClaim& claim, const ClusterView& view) {
  for (const resource_v1::DeviceRequest& request : claim.spec.devices.requests) {
    if (request.exactly && !view.has_class(request.exactly->device_class_name)) {
      return fmt::format("request {}: device class {} does not exist",
                         request.name,
                         request.exactly->device_class_name);
    }
    for (const resource_v1::DeviceSubRequest& alternative : request.first_available) {
      if (view.has_class(alternative.device_class_name)) continue;
      return fmt::format("request {}/{}: device class {} does not exist",
                         request.name,
                         alternative.name,
                         alternative.device_class_name);
    }
  }
  return {};
}

std::optional<EndOfAttempt> AddWanted(const api::Object& object,
                                      size_t index,
                                      const ClusterView& view,
                                      ClaimSet& set) {
  const auto& claim = object.As<resource_v1::ResourceClaim>();
  if (view.in_flight(claim.metadata.uid)) {
    return ForAllNodes(fmt::format("resource claim {} is in the process of being allocated",
                                   api::ObjectKey(claim.metadata)),
                       view,
                       {});
  }
  if (std::string missing = MissingClass(claim, view); !missing.empty()) {
    return ForAllNodes(std::move(missing), view, {.events = {ClusterEvent::kClasses}});
  }
  set.prioritized =
      set.prioritized || std::ranges::any_of(claim.spec.devices.requests, [](const auto& request) {
        return !request.first_available.empty();
      });
  set.wanted_indexes.push_back(index);
  set.wanted.push_back(api::FrozenOf<resource_v1::ResourceClaim>(object));
  return std::nullopt;
}

/// Whether the devices of an allocated claim have failed to get ready, or took too long.
bool IsUseless(const resource_v1::ResourceClaim& claim,
               const ClusterView& view,
               const CycleOptions& options) {
  if (!options.binding_timeout || !HasBindingConditions(*claim.status.allocation)) return false;
  switch (BindingStateOf(claim).kind) {
    case BindingState::Kind::kReady: return false;
    case BindingState::Kind::kFailed: return true;
    case BindingState::Kind::kWaits: break;
  }
  return HasTimedOut(*claim.status.allocation, *options.binding_timeout, view.now);
}

}  // namespace

Unschedulable ForAllNodes(std::string reason, const ClusterView& view, WaitsFor waits_for) {
  return {.nodes = view.nodes.size(),
          .claim_reason = std::move(reason),
          .node_reasons = {},
          .unresolvable_nodes = view.nodes.size(),
          .preemption_reasons = {},
          .not_preempting = {},
          .preemption = std::nullopt,
          .unavailable_claims = {},
          .waits_for = std::move(waits_for)};
}

std::optional<EndOfAttempt> SortClaims(std::span<const api::Object> claims,
                                       const ClusterView& view,
                                       const CycleOptions& options,
                                       ClaimSet& set) {
  for (size_t i = 0; i < claims.size(); ++i) {
    const auto& claim = claims[i].As<resource_v1::ResourceClaim>();
    if (!claim.status.allocation) {
      if (auto obstacle = AddWanted(claims[i], i, view, set)) return obstacle;
      continue;
    }
    ClaimSet::Allocated allocated{
        .index = i,
        .nodes = std::nullopt,
        .is_useless = IsUseless(claim, view, options),
        .skips_operations = api::claims::SkipsOperations(*claim.status.allocation)};
    if (const auto& selector = claim.status.allocation->node_selector) {
      Result<api::NodeSelector> parsed = api::NodeSelector::Parse(api::NodeTerms(*selector));
      if (!parsed) {
        return AttemptFailed{"running PreFilter plugin \"DynamicResources\": " +
                             parsed.error().message};
      }
      allocated.nodes = *std::move(parsed);
    }
    set.allocated.push_back(std::move(allocated));
  }
  return std::nullopt;
}

int Score(const ClaimSet& set, const std::vector<resource_v1::AllocationResult>& results) {
  constexpr int kAlternativesMax = 8;
  int score = 0;
  for (size_t i = 0; i < set.wanted.size(); ++i) {
    for (const resource_v1::DeviceRequest& request : set.wanted[i]->spec.devices.requests) {
      for (size_t at = 0; at < request.first_available.size(); ++at) {
        const std::string name = request.name + "/" + request.first_available[at].name;
        const bool chosen = std::ranges::any_of(
            results[i].devices.results, [&](const auto& result) { return result.request == name; });
        if (chosen) score += kAlternativesMax - static_cast<int>(at);
      }
    }
  }
  return score;
}

}  // namespace dray::scheduler::inline cycle
