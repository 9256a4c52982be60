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
  std::string entry;  // what the pod calls it, and so do the answers of its driver
  bool is_allocated = false;
  bool is_immediate = false;  // its driver does not wait for a pod
  bool by_scheduler = false;  // the scheduler chooses, or has chosen, what is allocated
  /// Nodes must match all of these. Allocated: where it can be used; otherwise what its classes
  /// allow.
  std::vector<api::NodeSelector> nodes;
  /// What keeps the pod from every node, in upstream's words; or empty.
  std::string why_nowhere;
  /// What the scheduler is to allocate (structured parameters of 1.30); null: it is not.
  std::shared_ptr<const allocator::NamedResourcesWish> wish;
};

/// The class of that name: a ResourceClass for claims of the classic generation, else a
/// DeviceClass; null: there is none.
using ClassLookup = std::function<const api::Object*(std::string_view name)>;

/// What a classic claim without allocation asks the scheduler for.
struct StructuredWish {
  std::shared_ptr<const allocator::NamedResourcesWish> wish;  // null: it cannot be told now
  std::string why_not;                                        // in upstream's words
};
/// Says it of a claim of such a class. Errors: in upstream's words.
using WishLookup =
    std::function<Result<StructuredWish>(const api::resource_v1alpha2::ResourceClaim& claim,
                                         const api::resource_v1alpha2::ResourceClass& of_whom)>;
struct ClassicLookups {
  ClassLookup find_class;
  WishLookup find_wish = {};  // where claims of the classic generation are followed
};

/// Whether a driver's controller, and not the scheduler, allocates the claim or has done so. Of
/// classic claims the class says it (1.30): those count as drivers', whatever it says.
bool IsDrivers(const api::Object& claim);

/// The name by which the pod knows the claim; the first, if there are several.
std::string EntryNameOf(const api::core_v1::Pod& pod, const api::Object& claim);

/// What the dialogue must know of `claim`, which is one of `pod`'s.
///
/// Errors: kBadRequest  a node selector that is none; those of WishLookup.
Result<ClassicClaim> DescribeClaim(const api::core_v1::Pod& pod,
                                   const api::Object& claim,
                                   const ClassicLookups& lookups);

}  // namespace dray::scheduler::inline classic
