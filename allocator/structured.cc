// SPDX-License-Identifier: Apache-2.0
#include "dray/structured.h"

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "allocator/inventory/inventory.h"
#include "allocator/rules/pools.h"
#include "allocator/snapshot/cluster_state.h"
#include "api/core_v1/node.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "base/check.h"
#include "base/try.h"
#include "dray/allocated_state.h"
#include "dray/allocator.h"
#include "dray/claims.h"
#include "dray/profile.h"

namespace dray::structured::inline v0 {
namespace {

namespace v1 = api::resource_v1;

using allocator::inventory::Inventory;

/// An error of a lister, after what was being done.
Failure Wrap(std::string_view what, Error error) {
  error.message = fmt::format("{}: {}", what, error.message);
  return Fail(std::move(error));
}

Result<std::vector<Frozen<v1::ResourceSlice>>> ListSlices(const ResourceSliceLister& lister) {
  auto slices = lister.List();
  if (!slices) return Wrap("list resource slices", std::move(slices).error());
  return slices;
}

/// The classes that the claims name, and what the lister said about those it could not give.
struct Classes {
  std::vector<Frozen<v1::DeviceClass>> found;
  std::map<std::string, Error, std::less<>> failed;
};

Classes FindClasses(const std::vector<Frozen<v1::ResourceClaim>>& claims,
                    const DeviceClassLister& lister) {
  Classes classes;
  std::set<std::string_view> asked;
  const auto ask = [&](const std::string& name) {
    if (name.empty() || !asked.insert(name).second) return;
    auto device_class = lister.Get(name);
    if (device_class) {
      classes.found.push_back(*std::move(device_class));
    } else if (device_class.error().reason != StatusReason::kNotFound) {
      classes.failed.emplace(name, std::move(device_class).error());
    }
  };
  for (const Frozen<v1::ResourceClaim>& claim : claims) {
    for (const v1::DeviceRequest& request : claim->spec.devices.requests) {
      if (request.exactly.has_value()) ask(request.exactly->device_class_name);
      for (const v1::DeviceSubRequest& alternative : request.first_available)
        ask(alternative.device_class_name);
    }
  }
  return classes;
}

/// The allocator found at its own time that a class is not there, and named claim and request; the
/// lister knows better why.
Error WithListersWords(Error error, const Classes& classes) {
  for (const auto& [name, failure] : classes.failed) {
    const std::string missing = fmt::format("deviceclass.resource.k8s.io \"{}\" not found", name);
    if (!error.message.ends_with(missing)) continue;
    error.message.resize(error.message.size() - missing.size());
    error.message += failure.message;
    error.reason = failure.reason;
    break;
  }
  return error;
}

Result<Results> ResultsOf(allocator::Outcome outcome, const api::core_v1::Node& node) {
  if (auto* found = std::get_if<allocator::Allocation>(&outcome)) return std::move(found->results);
  if (const auto* none = std::get_if<allocator::Unsatisfiable>(&outcome)) {
    if (none->node_error.empty()) return Results();
    return Fail(StatusReason::kInvalid, none->node_error);
  }
  return Fail(StatusReason::kTimeout,
              fmt::format("node {}: gave up after {} steps",
                          node.metadata.name,
                          std::get<allocator::Undecided>(outcome).steps));
}

}  // namespace

allocator::Features DefaultFeatures() {
  const auto features = allocator::Complete({.release = api::Release::k1_31}, {});
  DRAY_CHECK(features.has_value());
  return *features;
}

Result<std::vector<Pool>> GatherPools(const ResourceSliceLister& lister,
                                      const api::core_v1::Node& node) {
  DRAY_TRY(const std::vector<Frozen<v1::ResourceSlice>> slices, ListSlices(lister));
  std::map<const v1::ResourceSlice*, Frozen<v1::ResourceSlice>> owners;
  for (const Frozen<v1::ResourceSlice>& slice : slices) owners.emplace(slice.get(), slice);
  const Frozen<Inventory> inventory = Inventory::Build(slices, {});
  DRAY_TRY(const allocator::rules::GatheredPools gathered,
           allocator::rules::GatherPools(*inventory, node, DefaultFeatures()));
  std::vector<Pool> pools;
  for (const allocator::rules::Pool& pool : gathered.pools) {
    Pool& out = pools.emplace_back(
        Pool{.id = {.driver = pool.driver, .pool = pool.name},
             .is_incomplete = pool.state == allocator::rules::PoolState::kIncomplete,
             .slices = {}});
    for (const v1::ResourceSlice* slice : pool.targeting) out.slices.push_back(owners.at(slice));
  }
  return pools;
}

Allocator NewAllocator(std::vector<Frozen<v1::ResourceClaim>> claims,
                       const ClaimLister& claim_lister,
                       const DeviceClassLister& class_lister,
                       const ResourceSliceLister& slice_lister,
                       const AllocatorOptions& options) {
  return {std::move(claims), claim_lister, class_lister, slice_lister, options};
}

Result<Results> Allocator::Allocate(const api::core_v1::Node& node) const {
  auto slices = ListSlices(*slice_lister_);
  if (!slices) return Wrap("gather pool information", std::move(slices).error());
  const Classes classes = FindClasses(claims_, *class_lister_);
  const auto allocated = claim_lister_->ListAllAllocated();
  // Errors of the claims come before that of the lister: without a step to spare, they are all
  // that the allocator can find.
  allocator::Budget budget = options_.budget;
  if (!allocated) budget.steps_max = 0;
  const allocator::Snapshot snapshot(
      {.features = options_.features},
      *std::move(slices),
      classes.found,
      allocated ? allocator::StateOf(*allocated, options_.features) : allocator::AllocatedState());
  Result<allocator::Outcome> outcome = allocator::Attempt(snapshot, claims_).Allocate(node, budget);
  if (!outcome) return Fail(WithListersWords(std::move(outcome).error(), classes));
  if (!allocated) return Wrap("list allocated claims", allocated.error());
  return ResultsOf(*std::move(outcome), node);
}

}  // namespace dray::structured::inline v0
