// SPDX-License-Identifier: Apache-2.0
// Claims made ready for the search on any node of a snapshot: what does not depend on the node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "allocator/rules/plan.h"
#include "allocator/snapshot/cluster_state.h"
#include "allocator/snapshot/shapes.h"
#include "api/resource_v1/claim.h"
#include "base/mutex.h"
#include "base/work.h"

namespace dray::allocator::search {

/// One way to satisfy a request.
struct PreparedVariant {
  /// A constraint of the claim that covers its devices, and the attribute it compares.
  struct Covering {
    size_t constraint = 0;  // in PreparedClaims::constraints
    Frozen<snapshot::AttributeColumn> column;
  };

  const rules::Variant* plan = nullptr;
  size_t claim = 0;
  size_t request = 0;  // in PreparedClaims::requests
  Frozen<snapshot::SelectionRow> row;
  Frozen<snapshot::AmountsColumn> amounts;  // null: capacity does not matter
  std::vector<Covering> covering;

  bool wants_all() const { return plan->mode == rules::CountMode::kAll; }
  bool admin() const { return plan->admin_access; }
  /// Whether a device that a constraint refuses ends the whole call with an error.
  bool MayAbort() const { return wants_all() && !covering.empty(); }
};

struct PreparedRequest {
  size_t claim = 0;
  size_t first_variant = 0, last_variant = 0;  // in PreparedClaims::variants; one past the end
  bool prioritized = false;
};

struct PreparedConstraint {
  size_t claim = 0;
  bool is_match = true;  // else distinct
  snapshot::AttributeForm form = snapshot::AttributeForm::kSingle;
};

/// What a slice's content offers each variant, whatever is taken of it. Words of devices.
struct ContentRows {
  size_t words = 0;
  std::vector<uint64_t>
      listed;  // variant × words: matches, and holds what is asked for when unused
  std::vector<uint64_t> usable;  // variant × words: of those, the ones a request may take
  /// What a variant takes of a device that can be shared: variant × devices; empty: no device can.
  std::vector<const ConsumedCapacity*> amounts;
  std::vector<uint64_t> shareable;
  std::vector<uint64_t> draws;  // takes from counters
  bool any_shareable = false;
  bool any_draws = false;
  /// An evaluation failed, or an attribute cannot be compared by value: only the literal search
  /// knows what becomes of that.
  bool needs_literal = false;
};

/// For any number of threads.
class PreparedClaims {
 public:
  /// `work`: what evaluating their expressions on all devices may take, of which it takes its part.
  PreparedClaims(Frozen<snapshot::ClusterState> cluster,
                 std::span<const Frozen<api::resource_v1::ResourceClaim>> claims,
                 Work& work);

  const snapshot::ClusterState& cluster() const { return *cluster_; }
  std::span<const Frozen<api::resource_v1::ResourceClaim>> claims() const { return claims_; }
  const std::vector<rules::ClaimPlan>& plans() const { return plans_; }
  const std::vector<PreparedVariant>& variants() const { return variants_; }
  /// In the order of claims, then requests.
  const std::vector<PreparedRequest>& requests() const { return requests_; }
  const std::vector<PreparedConstraint>& constraints() const { return constraints_; }
  /// The claims are such that only the literal search knows: an error is certain or possible.
  bool needs_literal() const { return needs_literal_; }
  bool any_all() const { return any_all_; }
  bool any_admin() const { return any_admin_; }

  /// Worked out when first asked for, at the expense of `work`.
  const ContentRows& RowsOf(const snapshot::SliceContent& content, Work& work) const;

 private:
  void AddClaim(size_t claim, Work& work);
  void AddVariant(const rules::Variant& plan, size_t claim, Work& work);
  std::vector<PreparedVariant::Covering> CoveringOf(const rules::Variant& plan,
                                                    size_t claim,
                                                    Work& work);
  std::unique_ptr<ContentRows> MakeRows(const snapshot::SliceContent& content, Work& work) const;
  void Judge(size_t variant,
             size_t device,
             const snapshot::Shape& shape,
             snapshot::ShapeId id,
             ContentRows& rows) const;

  Frozen<snapshot::ClusterState> cluster_;
  std::vector<Frozen<api::resource_v1::ResourceClaim>> claims_;  // what plans refer to
  std::vector<rules::ClaimPlan> plans_;
  std::vector<PreparedVariant> variants_;
  std::vector<PreparedRequest> requests_;
  std::vector<PreparedConstraint> constraints_;
  std::vector<size_t> first_constraint_;  // by claim
  bool needs_literal_ = false;
  bool any_all_ = false;
  bool any_admin_ = false;

  mutable Mutex mutex_;
  mutable std::vector<std::unique_ptr<ContentRows>> rows_ DRAY_GUARDED_BY(mutex_);  // by content
};

}  // namespace dray::allocator::search
