// SPDX-License-Identifier: Apache-2.0
// Slices for the allocator, with the taints that DeviceTaintRules add (KEP-5055).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/release.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "dray/snapshot.h"
#include "dray/taint_rules.h"

namespace dray::scheduler::inline cluster {

/// Keeps all slices and rules, and translates a change of one into changes for the allocator.
/// Without rules, slices pass through unchanged. Not thread-safe.
class TaintedSlices {
 public:
  /// The meaning of a rule without a selector depends on the release.
  explicit TaintedSlices(api::Release release) : release_(release) {}

  /// Records the current state of a slice; null: the slice is gone. O(rules + devices tainted).
  allocator::ClusterChange SetSlice(const std::string& name,
                                    Frozen<api::resource_v1::ResourceSlice> slice);
  /// Records the current state of a rule; null: the rule is gone. Returns no change for slices that
  /// the rule matches neither before nor after. O(slices × rules).
  std::vector<allocator::ClusterChange> SetRule(const std::string& name,
                                                Frozen<api::resource_v1::DeviceTaintRule> rule);

 private:
  struct Slice {
    Frozen<api::resource_v1::ResourceSlice> published;
    Frozen<api::resource_v1::ResourceSlice> shown;
  };
  Frozen<api::resource_v1::ResourceSlice> WithTaints(
      const Frozen<api::resource_v1::ResourceSlice>& slice) const;

  const api::Release release_;
  std::map<std::string, Slice> slices_;
  std::map<std::string, Frozen<api::resource_v1::DeviceTaintRule>> rules_;  // applied by name
};

}  // namespace dray::scheduler::inline cluster
