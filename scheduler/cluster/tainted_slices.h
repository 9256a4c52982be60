// SPDX-License-Identifier: Apache-2.0
// Slices as the allocator shall see them: with the taints that DeviceTaintRules give (KEP-5055).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/release.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"
#include "base/published.h"
#include "dray/snapshot.h"
#include "dray/taint_rules.h"

namespace dray::scheduler::inline cluster {

/// Knows all slices and rules, and says what a change of one means for the allocator. Without rules
/// slices are passed on as they are. One thread.
class TaintedSlices {
 public:
  /// What a rule without a selector matches depends on the release.
  explicit TaintedSlices(api::Release release) : release_(release) {}

  /// The slice is now as `slice` says; null: it is gone. O(rules + devices tainted).
  allocator::ClusterChange SetSlice(const std::string& name,
                                    Frozen<api::resource_v1::ResourceSlice> slice);
  /// The rule is now as `rule` says; null: it is gone. Slices that it does not concern, before or
  /// after, are left out. O(slices × rules).
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
