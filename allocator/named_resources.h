// SPDX-License-Identifier: Apache-2.0
// Structured parameters as 1.30 had them: named instances of a node, chosen by expressions. Nothing
// of this is left in later releases.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/resource_v1alpha2.h"
#include "base/frozen.h"
#include "base/result.h"
#include "cel/selector.h"
#include "cel/selector_cache.h"

namespace dray::allocator {

/// Compiles the expressions about named instances. `entries_max` as in cel::SelectorCache.
cel::SelectorCache NamedResourcesSelectors(size_t entries_max);

/// An instance of a driver on a node.
struct InstanceId {
  std::string node;
  std::string driver;
  std::string name;
  auto operator<=>(const InstanceId&) const = default;
};

/// The instances that an allocation by the scheduler consists of; none of one by a driver.
std::vector<InstanceId> InstancesOf(const api::resource_v1alpha2::AllocationResult& allocation);

/// What a claim asks for, its expressions compiled. Immutable.
class NamedResourcesDemand {
 public:
  struct Parameters {
    const api::resource_v1alpha2::ResourceClass* of_whom = nullptr;             // never null
    const api::resource_v1alpha2::ResourceClassParameters* of_class = nullptr;  // null: none
    /// null: one instance of the driver of the class, whichever; others may share the claim.
    const api::resource_v1alpha2::ResourceClaimParameters* of_claim = nullptr;
  };

  /// Errors, in upstream's words: a request in no known model; an expression that does not compile.
  static Result<NamedResourcesDemand> Read(const Parameters& parameters,
                                           cel::SelectorCache& selectors);

  /// The driver of the class, which prepares the claim.
  const std::string& driver() const { return driver_; }

 private:
  friend class InstancesOnNode;
  struct Request {
    api::RawJson vendor_parameters;
    cel::Selector selector;
  };
  struct OfDriver {
    std::string driver;
    api::RawJson class_parameters;
    api::RawJson claim_parameters;
    std::optional<cel::Selector> filter;
    std::vector<Request> requests;
  };

  std::string driver_;
  bool shareable_ = true;
  std::vector<OfDriver> drivers_;
};

/// What is free on a node while the claims of one pod are looked at.
class InstancesOnNode {
 public:
  using Slices = std::vector<Frozen<api::resource_v1alpha2::ResourceSlice>>;
  using IsTaken = std::function<bool(const InstanceId& instance)>;

  /// `is_taken`: by whatever has been allocated.
  InstancesOnNode(std::string node, Slices slices, IsTaken is_taken)
      : node_(std::move(node)), slices_(std::move(slices)), is_taken_(std::move(is_taken)) {}

  /// Each request gets the first free instance that the class and its expression allow, in the
  /// order of slices and instances; no other choice is tried (upstream's rule). What was found is
  /// taken for the claims asked about later. None: the node has not got enough.
  ///
  /// Errors: an expression fails, in upstream's words.
  Result<std::optional<api::resource_v1alpha2::AllocationResult>> Allocate(
      const NamedResourcesDemand& demand);

 private:
  using OfDriver = NamedResourcesDemand::OfDriver;
  Result<bool> Allows(const OfDriver& demand,
                      const cel::Selector& request,
                      const api::resource_v1alpha2::NamedResourcesInstance& instance) const;
  Result<std::optional<InstanceId>> FirstFor(const OfDriver& demand,
                                             const cel::Selector& request,
                                             const std::set<InstanceId>& taken) const;
  Result<std::optional<api::resource_v1alpha2::ResourceHandle>> AllocateOf(
      const OfDriver& demand, std::set<InstanceId>& taken) const;

  std::string node_;
  Slices slices_;
  IsTaken is_taken_;
  std::set<InstanceId> taken_;  // by the claims asked about
};

}  // namespace dray::allocator
