// SPDX-License-Identifier: Apache-2.0
// Finds the pods that may have an affinity rule about a given pod, by its namespace and labels, so
// that an attempt does not evaluate the rules of all tenants.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/pod.h"
#include "scheduler/cluster/affinity_rules.h"

namespace dray::scheduler::inline cluster {

/// Each term is filed under the namespaces that it selects. If the term requires a label, it is
/// also filed under that label, with the label's value where few values are allowed. A term that
/// requires no label matches all pods of its namespaces.
class AffinityIndex {
 public:
  /// `rules` must outlive this or be removed. O(terms log terms).
  void Add(const AffinityRules& rules);
  void Remove(const AffinityRules& rules);

  /// Returns the rules with a term that may match `pod`, ordered by the uid of their pod.
  /// O((labels + rules found) log rules).
  std::vector<const AffinityRules*> About(const api::core_v1::Pod& pod) const;

  /// A term with more namespaces, or more values, is filed under all of them at once.
  static constexpr size_t kPlacesMax = 8;

 private:
  struct ByUid {
    bool operator()(const AffinityRules* a, const AffinityRules* b) const {
      return a->uid() < b->uid();
    }
  };
  using Found = std::map<const AffinityRules*, size_t, ByUid>;  // how many terms are filed here

  std::map<std::string, Found, std::less<>> places_;
};

}  // namespace dray::scheduler::inline cluster
