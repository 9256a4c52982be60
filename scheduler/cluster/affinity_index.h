// SPDX-License-Identifier: Apache-2.0
// Which of many pods may have a rule about a pod, found by its namespace and labels, so that an
// attempt does not read what all tenants wrote.
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

/// Each term lies under the namespaces it is about and, if it needs a label, under that label: with
/// its value, where there are few. A term that needs no label concerns all pods of its namespaces.
class AffinityIndex {
 public:
  /// `rules` outlives this, or is removed. O(terms log terms).
  void Add(const AffinityRules& rules);
  void Remove(const AffinityRules& rules);

  /// Those with a term that may be about `pod`, in the order of their uids.
  /// O((labels + rules found) log rules).
  std::vector<const AffinityRules*> About(const api::core_v1::Pod& pod) const;

  /// A term of more namespaces, or values, is found by others.
  static constexpr size_t kPlacesMax = 8;

 private:
  struct ByUid {
    bool operator()(const AffinityRules* a, const AffinityRules* b) const {
      return a->uid() < b->uid();
    }
  };
  using Found = std::map<const AffinityRules*, size_t, ByUid>;  // how many terms lie here

  std::map<std::string, Found, std::less<>> places_;
};

}  // namespace dray::scheduler::inline cluster
