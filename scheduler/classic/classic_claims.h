// SPDX-License-Identifier: Apache-2.0
// Claims that drivers' own controllers allocate (classic DRA, KEP-3063), of either generation, as
// the dialogue about a node (classic_dialogue.h) sees them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/named_resources.h"
#include "api/claims/either_claim.h"
#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1alpha2.h"
#include "api/selectors/node_selector_match.h"
#include "base/result.h"

namespace dray::scheduler::inline classic {

using api::claims::ClassicClaims;

/// A claim of a pod.
struct ClassicClaim {
  std::string entry;  // the pod's name for the claim, used in the driver's answers
  bool is_allocated = false;
  bool is_immediate = false;  // its driver does not wait for a pod
  bool by_scheduler = false;  // the scheduler chooses, or has chosen, what is allocated
  /// A node must match all of these. They are the places where an allocated claim can be used, or
  /// else what the claim's classes allow.
  std::vector<api::NodeSelector> nodes;
  /// Why the pod fits on no node, in upstream's words; or empty.
  std::string why_nowhere;
  /// What the scheduler must allocate (structured parameters of 1.30); null: nothing.
  std::shared_ptr<const allocator::NamedResourcesDemand> demand;
};

/// Finds a class by name: a ResourceClass for claims of the classic generation, else a DeviceClass.
/// Null: there is none.
using ClassLookup = std::function<const api::Object*(std::string_view name)>;

/// The request of a classic claim that the scheduler has to allocate.
struct StructuredDemand {
  std::shared_ptr<const allocator::NamedResourcesDemand> demand;  // null: not known now
  std::string why_not;                                            // in upstream's words
};
/// Returns the request of a claim of the given class. Errors: in upstream's words.
using DemandLookup =
    std::function<Result<StructuredDemand>(const api::resource_v1alpha2::ResourceClaim& claim,
                                           const api::resource_v1alpha2::ResourceClass& of_whom)>;
struct ClassicLookups {
  ClassLookup find_class;
  DemandLookup find_demand = {};  // where claims of the classic generation are followed
};

/// Whether a driver's controller, and not the scheduler, allocates or has allocated the claim. For
/// classic claims (1.30) the class decides that; here they always count as drivers' claims.
bool IsDrivers(const api::Object& claim);

/// The pod's name for the claim; the first of several.
std::string EntryNameOf(const api::core_v1::Pod& pod, const api::Object& claim);

/// Describes `claim`, one of `pod`'s claims, for the dialogue.
///
/// Errors: kBadRequest  an invalid node selector; those of DemandLookup.
Result<ClassicClaim> DescribeClaim(const api::core_v1::Pod& pod,
                                   const api::Object& claim,
                                   const ClassicLookups& lookups);

}  // namespace dray::scheduler::inline classic
